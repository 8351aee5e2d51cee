/// What commands have in common: words and numbers of a command line (`ByteCount`, `Shown`), what
/// they print (`Output`, `Progress`, `Failure`, `Json`, `Finding`), signals (`Signals`,
/// `Interrupts`), child processes (`Child`) and files of this machine (`MachineFiles`).
package sluice.cli.console;
