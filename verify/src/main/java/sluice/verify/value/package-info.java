/// The abstract values of the verifier: their `Kind` and `Range`, their origin (`Value`, created by
/// `Values`), and the changes of a `LoopVariable` in each round (`Update`).
package sluice.verify.value;
