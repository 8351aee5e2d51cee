/// A plain socket served beside a loop, in four ways: `CompanionBench`.
package sluice.bench.companion;
