package sluice.http.handlers;

import java.io.IOException;

/// Thrown when the connection ended before the reply did. It is not an error of the handler, which
/// need not continue to work on the request.
public final class ClientGoneException extends IOException {
  private static final long serialVersionUID = 1L;

  ClientGoneException() {
    super("the client has gone before the reply was complete");
  }
}
