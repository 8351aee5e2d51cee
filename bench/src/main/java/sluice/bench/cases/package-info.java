/// The parts that all families of benchmarks share: a `Bench` has cases (`BenchCase`), `CaseRunner`
/// runs them, and a `CaseResult` is shown as a `Table` and by the plots.
package sluice.bench.cases;
