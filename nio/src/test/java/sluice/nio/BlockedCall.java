package sluice.nio;

import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
  UNIX_WRITE("write"),
  UNIX_ACCEPT("accept"),
  STREAM_READ("read"),
  STREAM_WRITE("write"),
  TRANSFER_FROM("read"),
  TRANSFER_TO("transferTo");

  private static final int FEW = 8;

  /// The name of the method.
  final String method;

  BlockedCall(String method) {
    this.method = method;
  }

  /// A channel and a call on it that blocks.
  record Ready(Channel channel, Callable<?> call) {}

  Ready prepare(Scenario scenario) throws Exception {
    ByteBuffer buffer = ByteBuffer.allocate(FEW);
    return switch (this) {
      case READ -> reading(scenario.pair().near());
      case STREAM_READ -> {
        SocketChannel near = scenario.pair().near();
        yield new Ready(near, () -> near.socket().getInputStream().read());
      }
      case TRANSFER_FROM -> {
        SocketChannel near = scenario.pair().near();
        FileChannel file = file(scenario);
        yield new Ready(near, () -> file.transferFrom(near, 0, FEW));
      }
      case SCATTERING_READ -> {
        SocketChannel near = scenario.pair().near();
        yield new Ready(near, () -> near.read(new ByteBuffer[] {buffer}));
      }
      case WRITE, GATHERING_WRITE, STREAM_WRITE, TRANSFER_TO ->
          writing(scenario, scenario.pair().near());
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
      case UNIX_READ, UNIX_WRITE, UNIX_ACCEPT -> unix(scenario);
    };
  }

  private static Ready reading(SocketChannel channel) {
    return new Ready(channel, () -> channel.read(ByteBuffer.allocate(FEW)));
  }

  private Ready writing(Scenario scenario, SocketChannel near) throws Exception {
    fill(near, near);
    ByteBuffer buffer = ByteBuffer.allocate(FEW);
    Callable<?> call =
        switch (this) {
          case GATHERING_WRITE -> () -> near.write(new ByteBuffer[] {buffer.clear()});
          case STREAM_WRITE -> {
            OutputStream out = near.socket().getOutputStream();
            yield () -> {
              out.write(buffer.array());
              return FEW;
            };
          }
          case TRANSFER_TO -> {
            FileChannel file = file(scenario);
            file.write(buffer, 0);
            yield () -> file.transferTo(0, FEW, near);
          }
          default -> () -> near.write(buffer.clear());
        };
    return new Ready(near, () -> forever(call));
  }

  private static FileChannel file(Scenario scenario) throws IOException {
    Path path = Files.createTempFile("sluice", null);
    scenario.closing(() -> Files.deleteIfExists(path));
    return scenario.closing(
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE));
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

  private Ready unix(Scenario scenario) throws Exception {
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
    return this == UNIX_READ ? reading(near) : writing(scenario, near);
  }

  /// Writes until nothing goes any more, also after the kernel has moved what it holds.
  ///
  /// @return bytes written
  static long fill(SelectableChannel channel, WritableByteChannel out) throws Exception {
    channel.configureBlocking(false);
    long total = 0;
    for (int quiet = 0; quiet < 5; quiet++) {
      for (int length : new int[] {1 << 20, 1}) {
        for (int n = out.write(ByteBuffer.allocate(length)); n > 0; ) {
          total += n;
          quiet = 0;
          n = out.write(ByteBuffer.allocate(length));
        }
      }
      Thread.sleep(4);
    }
    channel.configureBlocking(true);
    return total;
  }

  private static Object forever(Callable<?> call) throws Exception {
    while (true) {
      call.call();
    }
  }

  /// Whether the kernel may take some bytes at the very end, so that it is the next call that finds
  /// the channel closed.
  boolean mayEndWithBytes() {
    return method.equals("write") || this == TRANSFER_TO;
  }

  /// Whether threads of the kind can be made to leave it. The JDK's virtual threads block in
  /// `sendfile(2)` with their carriers, and nothing wakes those.
  boolean canBeEnded(Task.Kind kind) {
    return this != TRANSFER_TO || kind == Task.Kind.PLATFORM;
  }
}
