package sluice.bench.packets;

import java.io.IOException;
import java.util.function.BooleanSupplier;

/// One end of the link, by one system. Used by the process's one thread that runs it; it spins and
/// never sleeps, as the other systems' ends do.
interface PacketEnd extends AutoCloseable {
  int PORT = 7;

  /// Sends back what comes, until it is told to end.
  void echo(BooleanSupplier ended) throws IOException;

  /// Sends datagrams of a size and takes their echoes.
  ///
  /// @param window that are under way at one time
  /// @param results gets the nanoseconds of each, when the window is 1
  /// @return datagrams that came back within the time
  long exchange(int bytes, int window, long nanos, RoundTrips results) throws IOException;

  @Override
  void close();

  /// @param client whether it is the end that asks
  static PacketEnd open(String system, boolean client) throws IOException {
    return switch (system) {
      case PacketBench.XDP -> XdpEnd.open(client);
      case PacketBench.CHANNEL -> ChannelEnd.open(client);
      default -> throw new IllegalArgumentException(system);
    };
  }
}
