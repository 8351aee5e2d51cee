package sluice.verify.check;

import java.util.Locale;

/// The treatment of a use of the JDK within a domain.
public enum Treatment {
  /// The use throws an exception, or the class is not loaded (see [Finding#throwsAtCall]).
  REFUSED,
  /// The domain provides its own implementation, which replaces the implementation of the JVM.
  REDIRECTED,
  /// The domain has its own copy of the JDK classes, which is discarded together with the domain.
  RELOCATED,
  /// The use is possible, but the limits of the domain do not apply to it.
  NOT_ENFORCED;

  /// Returns the name of this treatment in the output, such as `not-enforced`.
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
