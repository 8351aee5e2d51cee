package sluice.net.transport;

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

/// Runs the contract of datagrams on our UDP over AF_XDP. The peers are sockets of the kernel at
/// the other end of a veth pair. The test runs in the peer's namespace.
class XdpDatagramsIT extends DatagramsContract {
  private @Nullable NetRoom peer;
  private @Nullable NetRoom room;
  private @Nullable StackPorts stack;

  @BeforeEach
  void enter() throws IOException {
    room = NetRoom.enter("ip"); // the namespace of our end
    peer = NetRoom.enter("ip");
    peer.link("vB", "vA", 1);
    String _ = peer.run("ip addr add 10.9.0.1/24 dev vB");
    stack = peer.outside(() -> StackPorts.open(StackOption.parse("xdp:vA,10.9.0.2/24")));
  }

  @AfterEach
  void leave() {
    if (stack != null) {
      stack.close();
    }
    if (peer != null) {
      peer.close();
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
    return "10.9.0.2";
  }

  @Override
  protected String peerHost() {
    return "10.9.0.1";
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
        .hasMessageContaining("EADDRNOTAVAIL");
  }
}
