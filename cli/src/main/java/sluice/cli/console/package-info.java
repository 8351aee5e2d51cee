/// What commands have in common: what they print (`Output`, `Progress`, `Json`) and child processes
/// (`Child`).
package sluice.cli.console;
