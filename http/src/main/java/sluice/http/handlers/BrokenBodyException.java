package sluice.http.handlers;

import java.io.IOException;

/// The body of a request ended before it was whole, came too slowly, or was no body. A handler that
/// lets it pass before it has begun its reply has the server answer with its status.
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
