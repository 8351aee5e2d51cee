package sluice.nio;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/// Every call of a channel that can block for ever. Set up by the test's thread.
enum BlockedCall {
  READ("read"),
  SCATTERING_READ("read"),
  WRITE("write"),
  GATHERING_WRITE("write"),
  ACCEPT("accept"),
  CONNECT("connect"),
  FINISH_CONNECT("finishConnect"),
  RECEIVE("receive"),
  DATAGRAM_READ("read"),
  PIPE_READ("read"),
  PIPE_WRITE("write"),
  UNIX_READ("read"),
  UNIX_ACCEPT("accept");

  /// The name of the method.
  final String method;

  BlockedCall(String method) {
    this.method = method;
  }

  /// A channel and a call on it that blocks.
  record Ready(Channel channel, Callable<?> call) {}

  Ready prepare(Scenario scenario) throws Exception {
    ByteBuffer buffer = ByteBuffer.allocate(8);
    return switch (this) {
      case READ -> reading(scenario.pair().near());
      case SCATTERING_READ -> {
        SocketChannel near = scenario.pair().near();
        yield new Ready(near, () -> near.read(new ByteBuffer[] {buffer}));
      }
      case WRITE -> {
        SocketChannel near = scenario.pair().near();
        fill(near, near);
        yield new Ready(near, () -> forever(() -> near.write(buffer.clear())));
      }
      case GATHERING_WRITE -> {
        SocketChannel near = scenario.pair().near();
        fill(near, near);
        yield new Ready(near, () -> forever(() -> near.write(new ByteBuffer[] {buffer.clear()})));
      }
      case ACCEPT -> {
        ServerSocketChannel server = scenario.listening();
        yield new Ready(server, server::accept);
      }
      case CONNECT, FINISH_CONNECT -> connecting(scenario);
      case RECEIVE -> {
        var channel = scenario.boundDatagram();
        yield new Ready(channel, () -> channel.receive(buffer));
      }
      case DATAGRAM_READ -> {
        var channel = scenario.boundDatagram();
        channel.connect(scenario.boundDatagram().getLocalAddress());
        yield new Ready(channel, () -> channel.read(buffer));
      }
      case PIPE_READ -> {
        Pipe pipe = scenario.pipe();
        yield new Ready(pipe.source(), () -> pipe.source().read(buffer));
      }
      case PIPE_WRITE -> {
        Pipe pipe = scenario.pipe();
        fill(pipe.sink(), pipe.sink());
        yield new Ready(pipe.sink(), () -> forever(() -> pipe.sink().write(buffer.clear())));
      }
      case UNIX_READ, UNIX_ACCEPT -> unix(scenario);
    };
  }

  private static Ready reading(SocketChannel channel) {
    return new Ready(channel, () -> channel.read(ByteBuffer.allocate(8)));
  }

  private Ready connecting(Scenario scenario) throws Exception {
    FullServer full = scenario.closing(new FullServer());
    SocketChannel pending = full.pending(scenario);
    if (this == FINISH_CONNECT) {
      pending.configureBlocking(true);
      return new Ready(pending, pending::finishConnect);
    }
    SocketChannel channel = scenario.socket();
    return new Ready(channel, () -> channel.connect(full.address()));
  }

  private Ready unix(Scenario scenario) throws IOException {
    Path directory = Files.createTempDirectory("sluice");
    var address = UnixDomainSocketAddress.of(directory.resolve("s"));
    scenario.closing(() -> {
      Files.deleteIfExists(address.getPath());
      Files.delete(directory);
    });
    ServerSocketChannel server =
        scenario.closing(scenario.nio().openServerSocketChannel(StandardProtocolFamily.UNIX));
    server.bind(address);
    if (this == UNIX_ACCEPT) {
      return new Ready(server, server::accept);
    }
    SocketChannel near =
        scenario.closing(scenario.nio().openSocketChannel(StandardProtocolFamily.UNIX));
    near.connect(address);
    scenario.closing(server.accept());
    return reading(near);
  }

  /// Writes until nothing goes any more, also after the kernel has moved what it holds.
  private static void fill(SelectableChannel channel, WritableByteChannel out) throws Exception {
    channel.configureBlocking(false);
    for (int quiet = 0; quiet < 5; quiet++) {
      while (out.write(ByteBuffer.allocate(1 << 20)) > 0) {
        quiet = 0;
      }
      while (out.write(ByteBuffer.allocate(1)) > 0) {
        quiet = 0;
      }
      Thread.sleep(4);
    }
    channel.configureBlocking(true);
  }

  private static Object forever(Callable<?> call) throws Exception {
    while (true) {
      call.call();
    }
  }

  /// Whether the kernel may take some bytes at the very end, so that it is the next call that finds
  /// the channel closed.
  boolean mayEndWithBytes() {
    return method.equals("write");
  }
}
