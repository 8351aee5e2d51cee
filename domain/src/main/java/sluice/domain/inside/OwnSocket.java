package sluice.domain.inside;

import java.io.IOException;

/// An interface that the translator adds to a domain's direct subclass of a JDK socket, in the same
/// way as [OwnThread]. Any thread may call.
public interface OwnSocket {
  /// Calls `close` of the JDK's socket.
  void sluiceClose() throws IOException;
}
