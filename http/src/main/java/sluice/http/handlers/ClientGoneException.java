package sluice.http.handlers;

import java.io.IOException;

/// Thrown if the connection was closed before the reply was complete. This is not an error of the
/// handler, which may stop processing the request.
public final class ClientGoneException extends IOException {
  private static final long serialVersionUID = 1L;

  ClientGoneException() {
    super("the client has gone before the reply was complete");
  }
}
