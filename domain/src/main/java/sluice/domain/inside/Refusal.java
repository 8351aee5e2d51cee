package sluice.domain.inside;

/// Throws an exception for a call that is refused by a domain. Translated code invokes it
/// immediately before the refused call, which is kept but never reached. Any thread may call.
public final class Refusal {
  private Refusal() {}

  /// Throws a [SecurityException].
  ///
  /// @param message the message, which states the class, method and line, the reason and the fix
  @SuppressWarnings("DoNotCallSuggester") // translated code calls it
  public static void at(String message) {
    throw new SecurityException(message);
  }
}
