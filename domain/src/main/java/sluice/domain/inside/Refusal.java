package sluice.domain.inside;

/// Throws for calls that a domain refuses. Translated code calls it right before such a call, which
/// stays in place but is never reached. Any thread may call.
public final class Refusal {
  private Refusal() {}

  /// Throws a [SecurityException].
  ///
  /// @param message with class, method, line, why and fix
  @SuppressWarnings("DoNotCallSuggester") // translated code calls it
  public static void at(String message) {
    throw new SecurityException(message);
  }
}
