/// The abstract values of the verifier. A `Value` has a `Kind`, a `Range` and an origin, and is
/// created by `Values`. A `LoopVariable` changes in each round of a loop by an `Update`.
package sluice.verify.value;
