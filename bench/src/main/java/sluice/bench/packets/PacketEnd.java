package sluice.bench.packets;

import java.io.IOException;
import java.util.function.BooleanSupplier;

/// One end of the link, by one system. Used by the process's one thread that runs it.
interface PacketEnd extends AutoCloseable {
  int PORT = 7;

  /// How long an end that waits sleeps at most.
  int WAIT_MILLIS = 10;

  /// After which a datagram is taken for lost.
  long LOST_NANOS = 200_000_000L;

  /// Turns of an end that spins between two looks at the clock.
  int LOOKS = 1024;

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

  /// Whether an end has looked in vain for too long.
  ///
  /// @param turn how often it has looked
  /// @param begin when it began
  default boolean isLost(int turn, long begin) {
    return (waits() || turn % LOOKS == 0) && System.nanoTime() - begin > LOST_NANOS;
  }

  /// Whether it sleeps until something has come; otherwise it spins.
  boolean waits();

  /// @param client whether it is the end that asks
  /// @param waits see [#waits()]
  static PacketEnd open(String system, boolean client, boolean waits) throws IOException {
    return switch (system) {
      case PacketBench.XDP -> XdpEnd.open(client, waits);
      case PacketBench.CHANNEL -> ChannelEnd.open(client, waits);
      default -> throw new IllegalArgumentException(system);
    };
  }
}
