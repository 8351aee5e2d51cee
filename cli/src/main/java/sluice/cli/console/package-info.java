/// What commands have in common: what they print (`Output`, `Progress`, `Json`, `Finding`) and
/// child processes (`Child`).
package sluice.cli.console;
