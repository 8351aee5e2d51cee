/// `sluice compare`: `CompareCommand` runs `CompareRounds` with a `LoadSource` and shows a
/// `Comparison`.
package sluice.cli.compare;
