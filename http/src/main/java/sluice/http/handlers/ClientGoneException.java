package sluice.http.handlers;

import java.io.IOException;

/// The connection ended before the reply did. Not an error of the handler that meets it: whatever
/// it does for this request is in vain.
public final class ClientGoneException extends IOException {
  private static final long serialVersionUID = 1L;

  ClientGoneException() {
    super("the client has gone before the reply was complete");
  }
}
