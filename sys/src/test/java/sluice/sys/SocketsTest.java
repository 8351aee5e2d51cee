package sluice.sys;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.testbase.Await;

@Timeout(120)
class SocketsTest {
  private static final int FLAGS = Sockets.MSG_NOSIGNAL;

  @Test
  void bytesTravelFromClientToServer() throws Exception {
    try (SocketPair pair = SocketPair.open();
        Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocateFrom("xhello", UTF_8);
      MemorySegment in = arena.allocate(16);
      assertThat(Sockets.send(pair.client(), out, 1, 5, FLAGS)).isEqualTo(5);
      assertThat(Sockets.recv(pair.server(), in, 2, 14, 0)).isEqualTo(5);
      assertThat(in.getString(2)).isEqualTo("hello");
      assertThat(Sockets.recv(pair.server(), in, 0, 16, Sockets.MSG_DONTWAIT))
          .isEqualTo(-Errno.EAGAIN);
      assertThat(Sockets.shutdown(pair.client(), Sockets.SHUT_WR)).isZero();
      assertThat(Sockets.recv(pair.server(), in, 0, 16, 0)).isZero();
    }
  }

  @Test
  void messagesGatherAndScatter() throws Exception {
    try (SocketPair pair = SocketPair.open();
        Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocateFrom("abcdef", UTF_8);
      MemorySegment vector = arena.allocate(2L * IoVec.SIZE, 8);
      MemorySegment header = arena.allocate(8L + MsgHeader.SIZE, 8);
      IoVec.set(vector, 0, 0, text, 3, 3);
      IoVec.set(vector, 0, 1, text, 0, 3);
      MsgHeader.set(header, 8, vector, 0, 2);
      assertThat(Sockets.sendmsg(pair.client(), header, 8, FLAGS)).isEqualTo(6);
      MemorySegment in = arena.allocate(8);
      IoVec.set(vector, 0, 0, in, 0, 1);
      IoVec.set(vector, 0, 1, in, 1, 6);
      assertThat(Sockets.recvmsg(pair.server(), header, 8, 0)).isEqualTo(6);
      assertThat(in.getString(0)).isEqualTo("defabc");
      assertThat(MsgHeader.flags(header, 8) & Sockets.MSG_TRUNC).isZero();
    }
  }

  @Test
  void severalDatagramsAreReceivedAndSentBackAtOnce() throws Exception {
    int messages = 5;
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    int server = Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_DGRAM, 0);
    int client = Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_DGRAM, 0);
    try (Arena arena = Arena.ofConfined()) {
      Sockets.bind(server, any);
      Sockets.setsockopt(server, Sockets.IPPROTO_IP, Sockets.IP_PKTINFO, 1);
      assertThat(Sockets.connect(client, Objects.requireNonNull(Sockets.getsockname(server))))
          .isZero();
      MemorySegment out = arena.allocateFrom("datagram", UTF_8);
      for (int i = 1; i < messages; i++) {
        assertThat(Sockets.send(client, out, 0, i, 0)).isEqualTo(i);
      }
      MemorySegment headers = arena.allocate((long) messages * MultiMsgHeader.SIZE, 8);
      MemorySegment vectors = arena.allocate((long) messages * IoVec.SIZE, 8);
      MemorySegment names = arena.allocate((long) messages * SocketAddresses.STORAGE_BYTES, 8);
      MemorySegment controls = arena.allocate(messages * 64L, 8);
      MemorySegment in = arena.allocate(messages * 16L);
      for (int i = 0; i < messages; i++) {
        long header = (long) i * MultiMsgHeader.SIZE;
        long name = (long) i * SocketAddresses.STORAGE_BYTES;
        IoVec.set(vectors, 0, i, in, i * 16L, 16);
        MsgHeader.set(headers, header, vectors, (long) i * IoVec.SIZE, 1);
        MsgHeader.name(headers, header, names, name, SocketAddresses.STORAGE_BYTES);
        MsgHeader.control(headers, header, controls, i * 64L, 64);
      }
      int flags = Sockets.MSG_DONTWAIT;
      Await await = new Await();
      for (int received = 0; received < 4; ) { // a busy kernel delivers a little later
        await.check("the datagrams");
        long next = (long) received * MultiMsgHeader.SIZE;
        int count = Sockets.recvmmsg(server, headers, next, messages - received, flags);
        assertThat(count == -Errno.EAGAIN || count > 0).as("%s", count).isTrue();
        received += Math.max(0, count);
      }
      for (int i = 0; i < 4; i++) {
        long header = (long) i * MultiMsgHeader.SIZE;
        assertThat(MultiMsgHeader.length(headers, header)).isEqualTo(i + 1);
        int control = MsgHeader.controlLength(headers, header);
        assertThat(control).isBetween(16, 64);
        MsgHeader.control(headers, header, controls, i * 64L, control);
        IoVec.set(vectors, 0, i, in, i * 16L, i + 1);
      }
      assertThat(Sockets.sendmmsg(server, headers, 0, 4, flags)).isEqualTo(4);
      for (int i = 1; i < messages; i++) {
        assertThat(Sockets.recv(client, in, 0, 16, 0)).isEqualTo(i);
      }
      assertThat(Sockets.recvmmsg(server, headers, 0, 1, flags)).isEqualTo(-Errno.EAGAIN);
    } finally {
      Files.close(client);
      Files.close(server);
    }
  }

  @Test
  void newConnectionsAreDroppedAndOldOnesStay() throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    int listener =
        Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_STREAM | Sockets.SOCK_NONBLOCK, 0);
    try (Socket before = new Socket();
        Socket after = new Socket()) {
      Sockets.bind(listener, any);
      Sockets.listen(listener, 16);
      SocketAddress address = Objects.requireNonNull(Sockets.getsockname(listener));
      before.connect(address, 60_000);
      try {
        Sockets.dropSyn(listener);
      } catch (SysException e) {
        assumeTrue(e.errno() != Errno.EPERM, "this user may not attach a filter to a socket here");
        throw e;
      }
      assertThatThrownBy(() -> after.connect(address, 200))
          .isInstanceOf(SocketTimeoutException.class);
      before.getOutputStream().write('x');
      PollFds ready = new PollFds(1);
      ready.set(0, listener, PollFds.POLLIN);
      assertThat(ready.poll(1, TimeUnit.SECONDS.toNanos(60))).isEqualTo(1);
      int accepted = Sockets.accept4(listener, 0);
      assertThat(accepted).isPositive();
      try (Arena arena = Arena.ofConfined()) {
        assertThat(Sockets.recv(accepted, arena.allocate(4), 0, 4, 0)).isEqualTo(1);
      }
      assertThat(Sockets.accept4(listener, 0)).isEqualTo(-Errno.EAGAIN);
      Files.close(accepted);
    } finally {
      Files.close(listener);
    }
  }

  @Test
  void optionsAreSetAndRead() throws Exception {
    try (SocketPair pair = SocketPair.open()) {
      int fd = pair.client();
      Sockets.setsockopt(fd, Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY, 1);
      assertThat(Sockets.getsockopt(fd, Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY)).isEqualTo(1);
      Sockets.setsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_SNDBUF, 16_384);
      assertThat(Sockets.getsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_SNDBUF)).isEqualTo(32_768);
      assertThat(Sockets.getsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_ERROR)).isZero();
      assertThat(Sockets.getsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_TYPE))
          .isEqualTo(Sockets.SOCK_STREAM);
      assertThat(Sockets.getsockopt(pair.listener(), Sockets.SOL_SOCKET, Sockets.SO_ACCEPTCONN))
          .isEqualTo(1);
      Sockets.setsockopt(pair.listener(), Sockets.IPPROTO_TCP, Sockets.TCP_DEFER_ACCEPT, 3);
      assertThatThrownBy(() -> Sockets.setsockopt(fd, Sockets.IPPROTO_TCP, 9999, 1))
          .isInstanceOfSatisfying(
              SysException.class,
              e -> {
                assertThat(e.errno()).isEqualTo(Errno.ENOPROTOOPT);
                assertThat(e.arguments()).contains("9999");
              });
    }
  }

  @Test
  void lingerOfZeroResetsTheConnection() throws Exception {
    try (SocketPair pair = SocketPair.open();
        Arena arena = Arena.ofConfined()) {
      int another = SocketPair.connect(pair.listener());
      int accepted = Sockets.accept4(pair.listener(), Sockets.SOCK_NONBLOCK);
      assertThat(Files.statusFlags(accepted) & Files.O_NONBLOCK).isNotZero();
      Sockets.linger(another, 0);
      Files.close(another);
      int result = -Errno.EAGAIN;
      Await await = new Await();
      while (result == -Errno.EAGAIN) { // a busy kernel delivers a little later
        await.check("the reset");
        result = Sockets.recv(accepted, arena.allocate(1), 0, 1, 0);
      }
      assertThat(result).isEqualTo(-Errno.ECONNRESET);
      Files.close(accepted);
    }
  }

  @Test
  void twoListenersShareAPortOnlyWhenBothSaySo() throws Exception {
    int first = Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_STREAM, 0);
    int second = Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_STREAM, 0);
    try {
      Sockets.setsockopt(first, Sockets.SOL_SOCKET, Sockets.SO_REUSEPORT, 1);
      Sockets.bind(first, SocketPair.LOOPBACK);
      Sockets.listen(first, 1);
      var address = Objects.requireNonNull(Sockets.getsockname(first));
      assertThatThrownBy(() -> Sockets.bind(second, address))
          .isInstanceOf(SysException.class)
          .hasMessageContaining("EADDRINUSE")
          .hasMessageContaining("ss -lntup");
      Sockets.setsockopt(second, Sockets.SOL_SOCKET, Sockets.SO_REUSEPORT, 1);
      Sockets.bind(second, address);
    } finally {
      Files.close(first);
      Files.close(second);
    }
  }

  @Test
  void namesOfBothEndsAgree() throws Exception {
    try (SocketPair pair = SocketPair.open()) {
      assertThat(Sockets.getpeername(pair.client())).isEqualTo(Sockets.getsockname(pair.server()));
      assertThat(Sockets.getpeername(pair.server())).isEqualTo(Sockets.getsockname(pair.client()));
      assertThatThrownBy(() -> Sockets.getpeername(pair.listener()))
          .isInstanceOf(SysException.class)
          .hasMessageContaining("ENOTCONN");
    }
  }

  @Test
  void versionSixAddressesWork() throws Exception {
    byte[] loopback = new byte[16];
    loopback[15] = 1;
    InetSocketAddress six = new InetSocketAddress(InetAddress.getByAddress(loopback), 0);
    int fd = Sockets.socket(SocketAddresses.family(six), Sockets.SOCK_STREAM, 0);
    try {
      Sockets.setsockopt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_V6ONLY, 1);
      Sockets.bind(fd, six);
      assertThat(Sockets.getsockname(fd))
          .isInstanceOfSatisfying(
              InetSocketAddress.class,
              bound -> {
                assertThat(bound.getAddress()).isEqualTo(six.getAddress());
                assertThat(bound.getPort()).isPositive();
              });
    } finally {
      Files.close(fd);
    }
  }

  @Test
  void datagramsReachUnixSockets(@TempDir Path directory) throws Exception {
    for (var address :
        new java.net.SocketAddress[] {
          UnixDomainSocketAddress.of(directory.resolve("s")),
          new AbstractUnixAddress("sluice-test-" + ProcessHandle.current().pid())
        }) {
      int server = Sockets.socket(SocketAddresses.AF_UNIX, Sockets.SOCK_DGRAM, 0);
      int client = Sockets.socket(SocketAddresses.AF_UNIX, Sockets.SOCK_DGRAM, 0);
      try (Arena arena = Arena.ofConfined()) {
        Sockets.bind(server, address);
        assertThat(Sockets.getsockname(server)).isEqualTo(address);
        assertThat(Sockets.getsockname(client)).isNull();
        MemorySegment text = arena.allocateFrom("READY=1", UTF_8);
        assertThat(Sockets.sendto(client, text, FLAGS, address)).isEqualTo(8);
        MemorySegment in = arena.allocate(8);
        assertThat(Sockets.recv(server, in, 0, 8, 0)).isEqualTo(8);
        assertThat(in.getString(0)).isEqualTo("READY=1");
      } finally {
        Files.close(server);
        Files.close(client);
      }
    }
  }

  @Test
  void refusedConnectionsSaySo() throws Exception {
    int listener = SocketPair.listen(SocketPair.LOOPBACK);
    var address = Objects.requireNonNull(Sockets.getsockname(listener));
    Files.close(listener);
    int fd = Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_STREAM, 0);
    assertThat(Sockets.connect(fd, address)).isEqualTo(-Errno.ECONNREFUSED);
    Files.close(fd);
    assertThat(Sockets.shutdown(fd, Sockets.SHUT_WR)).isEqualTo(-Errno.EBADF);
  }

  @Test
  void badAddressesAreRefused() {
    assertThatThrownBy(() ->
            SocketAddresses.encode(
                InetSocketAddress.createUnresolved("nowhere", 1), Arena.ofAuto()))
        .isInstanceOf(UnresolvedAddressException.class);
    assertThatThrownBy(() ->
            SocketAddresses.encode(UnixDomainSocketAddress.of("x".repeat(108)), Arena.ofAuto()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("107");
    assertThat(SocketAddresses.decode(Arena.ofAuto().allocate(128), 16)).isNull();
    assertThat(SocketAddresses.decode(Arena.ofAuto().allocate(128), 0)).isNull();
  }

  @Test
  void buffersAreChecked() throws Exception {
    try (SocketPair pair = SocketPair.open();
        Arena arena = Arena.ofConfined()) {
      MemorySegment four = arena.allocate(4);
      int fd = pair.client();
      assertThatThrownBy(() -> Sockets.send(fd, four, 2, 3, 0))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> Sockets.recv(fd, four.asReadOnly(), 0, 4, 0))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> Sockets.send(fd, MemorySegment.ofArray(new byte[4]), 0, 4, 0))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
