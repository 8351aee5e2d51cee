package sluice.sys;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tests the socket calls that only channels need. Runs on the test's thread.
@Timeout(60)
class SocketExtrasTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  @Test
  void aMappedAddressComesBackAsIpv4() {
    try (Arena arena = Arena.ofConfined()) {
      InetSocketAddress v4 = new InetSocketAddress(LOOPBACK, 4321);
      MemorySegment mapped = SocketAddresses.encodeMapped(v4, arena);
      assertThat(mapped.byteSize()).isEqualTo(28);
      assertThat(SocketAddresses.decode(mapped, 28)).isEqualTo(v4);
      MemorySegment any = SocketAddresses.encodeMapped(new InetSocketAddress(7), arena);
      assertThat(SocketAddresses.decode(any, 28)).hasToString("/[0:0:0:0:0:0:0:0]:7");
    }
  }

  @Test
  void acceptTellsThePeerAndAvailableCounts() throws Exception {
    int listener = Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_STREAM, 0);
    int client = Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_STREAM, 0);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment loopback = SocketAddresses.encode(new InetSocketAddress(LOOPBACK, 0), arena);
      assertThat(Sockets.bind(listener, loopback)).isZero();
      Sockets.listen(listener, 1);
      MemorySegment target =
          SocketAddresses.encode(requireNonNull(Sockets.getsockname(listener)), arena);
      assertThat(Sockets.connect(client, target)).isZero();
      MemorySegment peer = arena.allocate(Sockets.PEER_BYTES, 8);
      int server = Sockets.accept4(listener, 0, peer);
      assertThat(Sockets.peer(peer)).isEqualTo(Sockets.getsockname(client));
      assertThat(Sockets.linger(server)).isEqualTo(-1);
      Sockets.linger(server, 3);
      assertThat(Sockets.linger(server)).isEqualTo(3);
      MemorySegment value = arena.allocate(ValueLayout.JAVA_INT);
      assertThat(Sockets.getsockopt(server, Sockets.SOL_SOCKET, Sockets.SO_TYPE, value))
          .isEqualTo(4);
      assertThat(value.get(ValueLayout.JAVA_INT, 0)).isEqualTo(Sockets.SOCK_STREAM);
      assertThat(Sockets.send(client, arena.allocate(5), 0, 5, 0)).isEqualTo(5);
      assertThat(Sockets.recv(server, arena.allocate(5), 0, 5, Sockets.MSG_PEEK)).isPositive();
      assertThat(Sockets.available(server)).isEqualTo(5);
      assertThat(Sockets.disconnect(server)).isZero();
      assertThat(Sockets.recv(client, arena.allocate(5), 0, 5, 0)).isEqualTo(-Errno.ECONNRESET);
      Files.close(server);
    } finally {
      Files.close(client);
      Files.close(listener);
    }
  }

  @Test
  void aGroupIsJoinedOnceAndLeft() throws Exception {
    int fd = Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_DGRAM, 0);
    try {
      InetAddress group = InetAddress.getByName("239.1.2.3");
      int join = GroupRequest.MCAST_JOIN_GROUP;
      int level = Sockets.IPPROTO_IP;
      int lo = java.net.NetworkInterface.getByInetAddress(LOOPBACK).getIndex();
      assertThat(GroupRequest.set(fd, level, join, lo, group, null)).isZero();
      assertThat(GroupRequest.set(fd, level, join, lo, group, null)).isEqualTo(-Errno.EADDRINUSE);
      int leave = GroupRequest.MCAST_LEAVE_GROUP;
      assertThat(GroupRequest.set(fd, level, leave, lo, group, null)).isZero();
      int source = GroupRequest.MCAST_JOIN_SOURCE_GROUP;
      assertThat(GroupRequest.set(fd, level, source, lo, group, LOOPBACK)).isZero();
    } finally {
      Files.close(fd);
    }
  }
}
