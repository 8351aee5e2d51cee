package sluice.bench.server;

/// Finds the blank lines that end requests, even if they arrive in pieces. There is one instance
/// per connection, used only by its thread.
public final class RequestScan {
  private int matched;

  /// Takes the next byte. Returns true if it ends a request.
  public boolean take(byte b) {
    if (matched == 0) {
      matched = b == '\r' ? 1 : 0;
      return false;
    }
    boolean expected = (matched & 1) == 0 ? b == '\r' : b == '\n';
    if (!expected) {
      matched = b == '\r' ? 1 : 0;
      return false;
    }
    matched = (matched + 1) & 3;
    return matched == 0;
  }
}
