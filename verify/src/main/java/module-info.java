import org.jspecify.annotations.NullMarked;

/// Upper bounds on the work of bytecode, and what a domain refuses of a jar. Imports nothing of
/// ours.
///
/// [sluice.verify.Verifier] gives one verdict per method; [sluice.verify.check.DomainCheck] names
/// the calls that a domain refuses or redirects.
@NullMarked
module sluice.verify {
  requires static org.jspecify;

  exports sluice.verify;
  exports sluice.verify.check;
}
