package sluice.vi.device;

import java.io.IOException;

/// What carries messages between two ports: a network interface, or a stand-in for one. Any thread
/// may call.
public interface Device extends AutoCloseable {
  /// Starts to take connections for a tag.
  ///
  /// @param address in the form that this device knows
  Listener listen(String address, int tag) throws IOException;

  /// Connects to a listener of that tag.
  ///
  /// @param timeoutNanos how long the listener's side may take to accept; negative waits for ever
  /// @throws IOException when no listener of that tag is there, it refuses, or the time is over
  Port connect(String address, PortSpec spec, long timeoutNanos) throws IOException;

  /// Ends the device's own threads. Ports that are open fail.
  @Override
  void close();
}
