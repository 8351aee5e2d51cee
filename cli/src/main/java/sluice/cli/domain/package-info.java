/// The command `sluice domain`, which is implemented by `DomainCommand` and its subcommands.
package sluice.cli.domain;
