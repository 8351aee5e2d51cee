package sluice.cli.domain;

import picocli.CommandLine.Command;

/// Implements the command `sluice domain`, which checks, runs, displays and terminates domains. It
/// runs in the main thread.
@Command(
    name = "domain",
    description = "Looks at what is to run in a domain, runs it, shows and ends what runs.",
    subcommands = {
      DomainCheckCommand.class,
      DomainRunCommand.class,
      DomainListCommand.class,
      DomainStatCommand.class,
      DomainKillCommand.class,
      DomainComponentsCommand.class,
      DomainReplaceCommand.class
    },
    mixinStandardHelpOptions = true)
public final class DomainCommand {}
