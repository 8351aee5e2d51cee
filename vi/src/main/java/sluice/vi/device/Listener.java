package sluice.vi.device;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A listener that accepts connections for one tag. Any thread may call.
public interface Listener extends AutoCloseable {
  /// Waits for a connection and accepts it.
  ///
  /// @param spec the specification; a peer that requires a different reliability is refused
  /// @param timeoutNanos the timeout, or a negative number to wait indefinitely
  /// @return the port, or null if the timeout expires
  @Nullable Port accept(PortSpec spec, long timeoutNanos) throws IOException;

  /// Refuses all waiting and future connections. Idempotent.
  @Override
  void close();
}
