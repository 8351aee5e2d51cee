package sluice.net.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.loop.datagrams.DatagramPorts;
import sluice.loop.engine.Backend;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.server.Engines;
import sluice.testkit.DatagramsContract;
import sluice.testkit.NetRoom;

/// Runs the contract of datagrams on our UDP over a TAP device. The peers are sockets of the
/// kernel.
class TapDatagramsIT extends DatagramsContract {
  private @Nullable NetRoom room;
  private @Nullable StackPorts stack;

  @BeforeEach
  void enter() throws IOException {
    room = NetRoom.enter("ip");
    stack = StackPorts.open(StackOption.parse("tap:t0,10.7.0.2/24"));
    room.run("ip addr add 10.7.0.1/24 dev t0");
    room.run("ip link set t0 up");
  }

  @AfterEach
  void leave() {
    if (stack != null) {
      stack.close();
    }
    if (room != null) {
      room.close();
    }
  }

  private StackPorts stack() {
    if (stack == null) {
      throw new AssertionError("no stack");
    }
    return stack;
  }

  @Override
  protected Engine open(EngineConfig config) throws IOException {
    return Engines.open(Engines.choose(Backend.EPOLL), config);
  }

  @Override
  protected DatagramPorts ports() {
    return stack();
  }

  @Override
  protected String host(int number) {
    return "10.7.0.2";
  }

  @Override
  protected String peerHost() {
    return "10.7.0.1";
  }

  /// Checks the error for an IPv6 address, because the stack supports only IPv4.
  @Override
  @Test
  protected void theInternetProtocolOfToday() throws IOException {
    byte[] loopback = new byte[16];
    loopback[15] = 1;
    InetSocketAddress six = new InetSocketAddress(InetAddress.getByAddress(loopback), 0);
    assertThatThrownBy(() -> stack().open(loop(), six, (port, datagram, from) -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("EADDRNOTAVAIL")
        .hasMessageContaining("Fix: ");
  }

  @Test
  void aPortInUseIsRefused() throws IOException {
    InetSocketAddress wanted = new InetSocketAddress("10.7.0.2", 53);
    try (var _ = stack().open(loop(), wanted, (port, datagram, from) -> {})) {
      assertThatThrownBy(() -> stack().open(loop(), wanted, (port, datagram, from) -> {}))
          .hasMessageContaining("EADDRINUSE");
    }
    try (var again = stack().open(loop(), wanted, (port, datagram, from) -> {})) {
      assertThat(again.address()).isEqualTo(wanted);
    }
  }
}
