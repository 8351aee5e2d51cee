package sluice.bench.packets;

import java.io.IOException;
import java.util.function.BooleanSupplier;

/// An end of the link, on one system. Used only by the thread that runs it.
interface PacketEnd extends AutoCloseable {
  int PORT = 7;

  /// The longest sleep of an end that waits.
  int WAIT_MILLIS = 10;

  /// The time after which a datagram counts as lost.
  long LOST_NANOS = 200_000_000L;

  /// The number of turns of an end that spins between two readings of the clock.
  int LOOKS = 1024;

  /// Sends back received datagrams until it is told to end.
  void echo(BooleanSupplier ended) throws IOException;

  /// Sends datagrams of a size and receives their echoes.
  ///
  /// @param window the number of datagrams under way at one time
  /// @param results gets the nanoseconds of each, if the window is 1
  /// @return the number of datagrams that came back within the time
  long exchange(int bytes, int window, long nanos, RoundTrips results) throws IOException;

  @Override
  void close();

  /// Returns true if an end has polled in vain for too long.
  ///
  /// @param turn the number of polls
  /// @param begin the time of the first poll
  default boolean isLost(int turn, long begin) {
    return (waits() || turn % LOOKS == 0) && System.nanoTime() - begin > LOST_NANOS;
  }

  /// Returns true if it sleeps until a datagram arrives; otherwise it spins.
  boolean waits();

  /// Opens an end.
  ///
  /// @param client true for the end that sends first
  /// @param waits see [#waits()]
  static PacketEnd open(String system, boolean client, boolean waits) throws IOException {
    return switch (system) {
      case PacketBench.XDP -> XdpEnd.open(client, waits);
      case PacketBench.CHANNEL -> ChannelEnd.open(client, waits);
      default -> throw new IllegalArgumentException(system);
    };
  }
}
