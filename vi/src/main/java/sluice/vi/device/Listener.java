package sluice.vi.device;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Takes connections for one tag. Any thread may call.
public interface Listener extends AutoCloseable {
  /// Waits for a connection and accepts it.
  ///
  /// @param spec must want the same reliability as the peer, or the peer is refused
  /// @param timeoutNanos negative waits for ever
  /// @return null when the time is over
  @Nullable Port accept(PortSpec spec, long timeoutNanos) throws IOException;

  /// Refuses what waits, and what comes. Idempotent.
  @Override
  void close();
}
