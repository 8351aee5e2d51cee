package sluice.http.handlers;

import java.io.IOException;

/// Thrown if the body of a request is truncated, malformed, or arrived too slowly. If a handler
/// does not catch this exception before it has started its reply, the server replies with its
/// status.
public final class BrokenBodyException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int status;

  BrokenBodyException(int status) {
    super("the body of the request is not whole; the client is answered " + status);
    this.status = status;
  }

  /// Returns the status of the reply, which is 400, 408 or 431.
  public int status() {
    return status;
  }
}
