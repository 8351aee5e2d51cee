package sluice.testkit;

import java.net.SocketAddress;
import java.util.Arrays;
import sluice.testkit.sim.SimClient;
import sluice.testkit.sim.SimWorld;

/// A client of an echo server with its messages and the expected replies. Owned by the thread that
/// runs the simulation.
final class Conversation {
  private static final int MAX_START_NANOS = 2_000_000;
  private static final int MAX_TIMEOUT_NANOS = 20_000_000;

  private final SimClient client;
  private final byte[] expected;
  private final boolean lenient;

  private Conversation(SimClient client, byte[] expected, boolean lenient) {
    this.client = client;
    this.expected = expected;
    this.lenient = lenient;
  }

  /// Starts a client that connects within the next milliseconds, sends everything and half-closes;
  /// some clients give up before the end.
  ///
  /// @param expected the reply if nothing fails
  /// @param lenient true if the server may close before it has answered everything
  static Conversation start(
      SimWorld world, SocketAddress address, byte[] bytes, byte[] expected, boolean lenient) {
    SimClient client = world.client();
    Runnable start = () -> client.connect(address).send(bytes).finish();
    world.scheduler().after(world.random().below(MAX_START_NANOS), start);
    boolean givesUp = world.random().chance(60);
    if (givesUp) {
      client.resetAfter(world.random().skewed(MAX_TIMEOUT_NANOS));
    }
    return new Conversation(client, expected, lenient || givesUp);
  }

  /// Returns each message of `bytes`, repeated.
  static byte[] repeated(byte[] bytes, int messageBytes, int repeats) {
    if (repeats == 1) {
      return bytes;
    }
    byte[] result = new byte[bytes.length * repeats];
    for (int at = 0; at < bytes.length; at += messageBytes) {
      for (int i = 0; i < repeats; i++) {
        System.arraycopy(bytes, at, result, at * repeats + i * messageBytes, messageBytes);
      }
    }
    return result;
  }

  boolean over() {
    return client.over();
  }

  /// Checks that the reply is a prefix of the expected one, and complete unless a fault broke the
  /// connection.
  void check(SimWorld world) {
    byte[] received = client.received();
    boolean beginning =
        received.length <= expected.length
            && Arrays.equals(received, 0, received.length, expected, 0, received.length);
    world.check(beginning, "client " + client.id() + " received wrong bytes");
    world.check(
        received.length == expected.length || lenient || client.brokenByFault(),
        "client " + client.id() + " got " + received.length + " of " + expected.length + " bytes");
  }
}
