package sluice.domain.inside;

import java.io.IOException;

/// What the translator gives a domain's class directly below a socket of the JDK, as [OwnThread].
/// Any thread may call.
public interface OwnSocket {
  /// `close` of the JDK's socket.
  void sluiceClose() throws IOException;
}
