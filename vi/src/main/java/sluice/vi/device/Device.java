package sluice.vi.device;

import java.io.IOException;

/// A device that carries messages between two ports: a network interface, or a substitute for one.
/// Any thread may call.
public interface Device extends AutoCloseable {
  /// Starts to take connections for a tag.
  ///
  /// @param address the address in the device's form
  Listener listen(String address, int tag) throws IOException;

  /// Connects to a listener of that tag.
  ///
  /// @param timeoutNanos the time the listener's side may take to accept; negative waits without
  ///   limit
  /// @throws IOException if no listener with that tag is there, it refuses, or the time is over
  Port connect(String address, PortSpec spec, long timeoutNanos) throws IOException;

  /// Ends the device's own threads. Open ports fail.
  @Override
  void close();
}
