package sluice.cli;

import picocli.CommandLine.Command;

/// `sluice domain`: what concerns domains. Runs in the main thread.
@Command(
    name = "domain",
    description = "Looks at what is to run in a domain, and runs it.",
    subcommands = {DomainCheckCommand.class, DomainRunCommand.class},
    mixinStandardHelpOptions = true)
final class DomainCommand {}
