/// The common parts of commands: output (`Output`, `Progress`, `Json`) and child processes
/// (`Child`).
package sluice.cli.console;
