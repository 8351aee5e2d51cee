package sluice.cli.domain;

import picocli.CommandLine.Command;

/// The command `sluice domain`: checks, runs, shows and ends domains. Runs in the main thread.
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
