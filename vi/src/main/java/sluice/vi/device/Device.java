package sluice.vi.device;

import java.io.IOException;

/// A device that transfers messages between two ports. It is a network interface or a substitute
/// for one. Any thread may call.
public interface Device extends AutoCloseable {
  /// Starts to accept connections for a tag.
  ///
  /// @param address the address in the format of the device
  Listener listen(String address, int tag) throws IOException;

  /// Connects to a listener with the given tag.
  ///
  /// @param timeoutNanos the time within which the listener must accept the connection, or a
  ///   negative number to wait indefinitely
  /// @throws IOException if there is no listener with that tag, it refuses the connection, or the
  ///   timeout expires
  Port connect(String address, PortSpec spec, long timeoutNanos) throws IOException;

  /// Terminates the device's own threads. Open ports fail.
  @Override
  void close();
}
