package sluice.bench.server;

/// Finds the blank lines that end requests, also when they come in pieces. One per connection, used
/// by its thread alone.
public final class RequestScan {
  private int matched;

  /// Takes the next byte. Returns whether it ends a request.
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
