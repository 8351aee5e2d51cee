/// The command `sluice domain`: `DomainCommand` and its subcommands.
package sluice.cli.domain;
