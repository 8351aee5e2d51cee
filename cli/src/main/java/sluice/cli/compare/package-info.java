/// The command `sluice run --compare`: `CompareCommand` runs `CompareRounds` with a `LoadSource`
/// and prints a `Comparison`.
package sluice.cli.compare;
