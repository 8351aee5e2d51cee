/// The command `sluice run --compare`: `CompareCommand` executes `CompareRounds` with a
/// `LoadSource` and prints a `Comparison`.
package sluice.cli.compare;
