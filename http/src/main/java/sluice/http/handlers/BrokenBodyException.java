package sluice.http.handlers;

import java.io.IOException;

/// Thrown when the body of a request ended early, came too slowly, or is malformed. If a handler
/// does not catch it before it has begun its reply, the server answers with its status.
public final class BrokenBodyException extends IOException {
  private static final long serialVersionUID = 1L;

  private final int status;

  BrokenBodyException(int status) {
    super("the body of the request is not whole; the client is answered " + status);
    this.status = status;
  }

  /// Returns 400, 408 or 431.
  public int status() {
    return status;
  }
}
