/// The components that are shared by commands, such as output (`Output`, `Progress` and `Json`) and
/// child processes (`Child`).
package sluice.cli.console;
