/// What commands have in common: words and numbers of a command line (`ByteCount`, `TerminalText`),
/// what they print (`Output`, `Progress`, `FailureMessage`, `Json`, `Finding`), signals (`Signals`,
/// `Interrupts`), child processes (`Child`) and files of this machine (`MachineFiles`).
package sluice.cli.console;
