/// What is known of a value while bytecode is followed: its `Kind`, its `Range`, what it came from
/// (`Value`, made by `Values`), and how a `LoopVariable` changes from round to round (`Update`).
package sluice.verify.value;
