package sluice.vi.device;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A listener that accepts connections for one tag. Any thread may call.
public interface Listener extends AutoCloseable {
  /// Waits for a connection and accepts it.
  ///
  /// @param spec the specification; if the peer requires another reliability, it is refused
  /// @param timeoutNanos negative waits without limit
  /// @return null if the time is over
  @Nullable Port accept(PortSpec spec, long timeoutNanos) throws IOException;

  /// Refuses waiting and future connections. Idempotent.
  @Override
  void close();
}
