package sluice.nio;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Channels of the Unix domain.
class UnixDomainTest extends Scenario {
  @TempDir Path directory;

  @Test
  void clientsAndServersMeetAtAPath() throws Exception {
    UnixDomainSocketAddress address = address("meet");
    ServerSocketChannel server = unixServer().bind(address);
    assertThat(server.getLocalAddress()).isEqualTo(address);
    SocketChannel near = unixSocket();
    assertThat(near.connect(address)).isTrue();
    SocketChannel far = closing(server.accept());
    assertThat(near.getRemoteAddress()).isEqualTo(address);
    assertThat(far.getLocalAddress()).isEqualTo(address);
    assertThat(near.getLocalAddress()).isEqualTo(UnixDomainSocketAddress.of(""));
    assertThat(far.getRemoteAddress()).isEqualTo(UnixDomainSocketAddress.of(""));
    writeFully(near, text("question"));
    assertThat(text(readFully(far, 8))).isEqualTo("question");
    near.shutdownOutput();
    assertThat(far.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    writeFully(far, text("answer"));
    far.close();
    assertThat(text(readFully(near, 7))).isEqualTo("answer");
    assertThat(near.toString()).isNotEmpty();
    server.close();
    assertThat(address.getPath()).as("closing leaves the file").exists();
  }

  @Test
  void bothSidesKnowThePeersUserByName() throws Exception {
    UnixDomainSocketAddress address = address("peers");
    ServerSocketChannel server = unixServer().bind(address);
    SocketChannel near = unixSocket();
    assertThat(near.connect(address)).isTrue();
    SocketChannel far = closing(server.accept());
    UserPrincipal user = Files.getOwner(address.getPath());
    for (SocketChannel channel : List.of(near, far)) {
      UnixDomainPrincipal peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
      assertThat(peer.user()).isEqualTo(user);
      assertThat(peer.user().getName()).isEqualTo(user.getName());
      assertThat(peer.group().getName()).isNotEmpty();
    }
  }

  @Test
  void selectingWorksAsOnTcp() throws Exception {
    Selector selector = selector();
    UnixDomainSocketAddress address = address("selected");
    ServerSocketChannel server = unixServer().bind(address);
    SelectionKey accepting = register(server, selector, OP_ACCEPT);
    SocketChannel near = unixSocket();
    near.configureBlocking(false);
    assertThat(near.connect(address)).isTrue();
    awaitReady(selector, accepting, OP_ACCEPT);
    SocketChannel far = closing(server.accept());
    SelectionKey reading = register(far, selector, OP_READ);
    byte[] bytes = pattern(1 << 20);
    Task<Boolean> writing =
        Task.start(() -> {
          writeFully(near, ByteBuffer.wrap(bytes));
          near.close();
          return true;
        });
    ByteBuffer in = ByteBuffer.allocate(bytes.length + 1);
    while (true) {
      awaitReady(selector, reading, OP_READ);
      if (far.read(in) < 0) {
        break;
      }
    }
    assertThat(writing.join()).isTrue();
    assertThat(java.util.Arrays.copyOf(in.array(), in.position())).isEqualTo(bytes);
  }

  @Test
  void aServerWithoutAnAddressGetsOne() throws Exception {
    ServerSocketChannel server = unixServer();
    assertThatThrownBy(server::accept).isInstanceOf(NotYetBoundException.class);
    server.bind(null);
    UnixDomainSocketAddress address = (UnixDomainSocketAddress) server.getLocalAddress();
    assertThat(address.getPath()).isAbsolute().exists();
    try {
      assertThat(unixSocket().connect(address)).isTrue();
    } finally {
      Files.delete(address.getPath());
    }
  }

  @Test
  void pathsThatCannotBe() throws Exception {
    ServerSocketChannel server = unixServer();
    assertThatThrownBy(() -> server.bind(address("x".repeat(200))))
        .isInstanceOf(SocketException.class);
    assertThatThrownBy(() -> unixSocket().connect(address("x".repeat(200))))
        .isInstanceOf(SocketException.class);
    UnixDomainSocketAddress taken = address("taken");
    Files.createFile(taken.getPath());
    assertThatThrownBy(() -> server.bind(taken)).isInstanceOf(BindException.class);
    assertThatThrownBy(() -> unixSocket().connect(address("nobody")))
        .isInstanceOf(SocketException.class);
    assertThatThrownBy(() -> server.bind(UnixDomainSocketAddress.of("")))
        .isInstanceOf(BindException.class);
    assertThatThrownBy(() -> server.bind(address("missing/directory")))
        .isInstanceOf(SocketException.class);
  }

  @Test
  void aDesertedPathRefuses() throws Exception {
    UnixDomainSocketAddress address = address("deserted");
    unixServer().bind(address).close();
    SocketChannel channel = unixSocket();
    assertThatThrownBy(() -> channel.connect(address))
        .isInstanceOf(java.net.ConnectException.class);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aClientMayHaveAName() throws Exception {
    UnixDomainSocketAddress address = address("server");
    ServerSocketChannel server = unixServer().bind(address);
    SocketChannel near = unixSocket().bind(address("client"));
    assertThat(near.getLocalAddress()).isEqualTo(address("client"));
    near.connect(address);
    assertThat(closing(server.accept()).getRemoteAddress()).isEqualTo(address("client"));
    assertThatThrownBy(() -> near.connect(address)).isInstanceOf(AlreadyConnectedException.class);
    SocketChannel unnamed = unixSocket();
    unnamed.bind(null);
    assertThat(unnamed.getLocalAddress()).isEqualTo(UnixDomainSocketAddress.of(""));
  }

  @Test
  void familiesDoNotMix() throws Exception {
    assertThatThrownBy(() -> unixServer().bind(loopback(0)))
        .isInstanceOf(UnsupportedAddressTypeException.class);
    assertThatThrownBy(() -> unixSocket().bind(loopback(0)))
        .isInstanceOf(UnsupportedAddressTypeException.class);
    assertThatThrownBy(() -> unixSocket().connect(loopback(1)))
        .isInstanceOf(UnsupportedAddressTypeException.class);
    assertThatThrownBy(() -> socket().connect(address("any")))
        .isInstanceOf(UnsupportedAddressTypeException.class);
    assertThatThrownBy(() -> server().bind(address("any")))
        .isInstanceOf(UnsupportedAddressTypeException.class);
    assertThatThrownBy(() -> unixSocket().socket())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> unixServer().socket())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> unixSocket().setOption(StandardSocketOptions.TCP_NODELAY, true))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void aFullQueueOfAServerDoesNotHangANonBlockingConnect() throws Exception {
    UnixDomainSocketAddress address = address("full");
    ServerSocketChannel server = unixServer().bind(address, 1);
    int connected = 0;
    for (int i = 0; i < 8; i++) {
      SocketChannel channel = unixSocket();
      channel.configureBlocking(false);
      try {
        connected += channel.connect(address) ? 1 : 0;
      } catch (IOException e) {
        assertThat(connected).isPositive();
      }
    }
    assertThat(connected).isBetween(1, 7);
    assertThat(closing(server.accept()).isConnected()).isTrue();
  }

  @Test
  void filesGoThroughToo() throws Exception {
    Path file = Files.write(directory.resolve("file"), pattern(300_000));
    UnixDomainSocketAddress address = address("transfer");
    ServerSocketChannel server = unixServer().bind(address);
    SocketChannel near = unixSocket();
    near.connect(address);
    SocketChannel far = closing(server.accept());
    Task<byte[]> reading = Task.start(() -> readFully(far, 300_000));
    try (var content = java.nio.channels.FileChannel.open(file)) {
      for (long at = 0; at < 300_000; ) {
        at += content.transferTo(at, 300_000 - at, near);
      }
    }
    assertThat(reading.join()).isEqualTo(pattern(300_000));
  }

  private UnixDomainSocketAddress address(String name) {
    return UnixDomainSocketAddress.of(directory.resolve(name));
  }

  private SocketChannel unixSocket() throws IOException {
    return closing(nio().openSocketChannel(StandardProtocolFamily.UNIX));
  }

  private ServerSocketChannel unixServer() throws IOException {
    return closing(nio().openServerSocketChannel(StandardProtocolFamily.UNIX));
  }
}
