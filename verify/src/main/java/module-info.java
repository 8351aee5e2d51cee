import org.jspecify.annotations.NullMarked;

/// Computes upper bounds on the work of bytecode, and finds the uses in a jar that a domain
/// refuses. This module does not depend on any other module of Sluice.
///
/// [sluice.verify.Verifier] returns one verdict for each method. [sluice.verify.check.DomainCheck]
/// finds the uses that a domain refuses or redirects.
@NullMarked
module sluice.verify {
  requires static org.jspecify;

  exports sluice.verify;
  exports sluice.verify.check;
}
