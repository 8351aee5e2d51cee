package sluice.verify.check;

import java.util.Locale;

/// The treatment of a use of the JDK in a domain.
public enum Treatment {
  /// The use throws, or the class is not loaded, see [Finding#throwsAtCall].
  REFUSED,
  /// The domain provides its own implementation instead of the JVM's.
  REDIRECTED,
  /// The domain has its own copy of the JDK classes, which ends with the domain.
  RELOCATED,
  /// The use works, but the domain's limits do not apply to it.
  NOT_ENFORCED;

  /// Returns the printed name, such as `not-enforced`.
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
