package sluice.net.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import sluice.net.Ipv4Prefix;
import sluice.net.StackConfig;

/// Two stacks on a simulated wire, with helpers that send and collect datagrams. Used by the test's
/// thread.
final class StackRig implements AutoCloseable {
  static final int MTU = 1500;

  /// A received datagram.
  static final class Got {
    private final int address;
    private final int port;
    private final byte[] bytes;

    Got(int address, int port, byte[] bytes) {
      this.address = address;
      this.port = port;
      this.bytes = bytes;
    }

    int address() {
      return address;
    }

    int port() {
      return port;
    }

    byte[] bytes() {
      return bytes;
    }
  }

  final SimWire wire;
  final SimWire.Station leftPort;
  final SimWire.Station rightPort;
  final Ipv4Stack left;
  final Ipv4Stack right;
  private final MemorySegment room = Arena.ofAuto().allocate(1 << 17);

  StackRig(long seed, SimWire.Faults faults) {
    wire = new SimWire(seed, faults);
    leftPort = wire.attach(MTU);
    rightPort = wire.attach(MTU);
    left = stack(leftPort, "10.0.0.1/24");
    right = stack(rightPort, "10.0.0.2/24");
  }

  StackRig() {
    this(0, SimWire.Faults.NONE);
  }

  private Ipv4Stack stack(SimWire.Station port, String address) {
    return new Ipv4Stack(port, StackConfig.of(Ipv4Prefix.parse(address)), wire, 1 << 20);
  }

  static int address(String text) {
    return Ipv4Prefix.parseAddress(text);
  }

  /// Binds a socket that adds its datagrams to a list.
  static UdpSocket collect(Ipv4Stack stack, int port, List<Got> into) throws IOException {
    UdpSocket socket = stack.bind(port, _ -> {});
    socket.receiver((memory, at, length, from, fromPort) ->
        into.add(
            new Got(from, fromPort, memory.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE))));
    return socket;
  }

  boolean send(UdpSocket socket, byte[] bytes, int address, int port) {
    MemorySegment.copy(bytes, 0, room, ValueLayout.JAVA_BYTE, 64, bytes.length);
    return socket.send(room, 64, bytes.length, address, port);
  }

  static List<Got> list() {
    return new ArrayList<>();
  }

  void run(int steps) {
    wire.run(steps, left, right);
  }

  /// Runs both stacks for twenty seconds of simulated time.
  void settle() {
    wire.settle(left, right);
  }

  /// Asserts that the stacks hold no frames or packets when nothing is in flight.
  void assertNothingIsKept() {
    settle();
    assertThat(left.held()).isZero();
    assertThat(right.held()).isZero();
    assertThat(leftPort.free()).isEqualTo(leftPort.frames());
    assertThat(rightPort.free()).isEqualTo(rightPort.frames());
  }

  @Override
  public void close() {
    left.close();
    right.close();
  }
}
