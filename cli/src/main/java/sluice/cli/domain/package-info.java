/// `sluice domain` (`DomainCommand` and its subcommands), and the plug-ins of `sluice serve`
/// (`Plugins`): what runs in domains, what it uses (`DomainCounters`), and its end.
package sluice.cli.domain;
