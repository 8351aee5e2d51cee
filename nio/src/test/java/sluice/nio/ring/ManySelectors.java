package sluice.nio.ring;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import sluice.nio.CompletionProviders;
import sluice.nio.SluiceSelectorProvider;

/// A process that opens and closes many selectors, each used once, and then holds some open, each
/// with traffic. Run by [RingMemoryTest] in a JVM of its own, of which it checks the memory.
///
/// Arguments: how many to close, how many to hold, and the most that may be resident meanwhile, in
/// MiB.
final class ManySelectors {
  private static final int MESSAGE_BYTES = 1000;

  /// So that more passes through a selector than its ring starts with.
  private static final int ROUNDS = 300;

  private static final SluiceSelectorProvider PROVIDER = CompletionProviders.usual();

  private ManySelectors() {}

  public static void main(String[] arguments) throws Exception {
    int closed = Integer.parseInt(arguments[0]);
    int held = Integer.parseInt(arguments[1]);
    int most = Integer.parseInt(arguments[2]);
    try (ServerSocketChannel server = PROVIDER.openServerSocketChannel()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), held);
      try (Link link = Link.to(server)) {
        for (int i = 0; i < closed; i++) {
          try (Selector selector = PROVIDER.openSelector()) {
            link.echo(selector, 1);
          }
        }
      }
      check(closed + " opened and closed", most);
      if (RingMemory.free() != RingMemory.count()) {
        throw new AssertionError(RingMemory.count() - RingMemory.free() + " pieces are lost");
      }
      List<AutoCloseable> open = new ArrayList<>();
      for (int i = 0; i < held; i++) {
        Link link = Link.to(server);
        Selector selector = PROVIDER.openSelector();
        open.add(link);
        open.add(selector);
        link.echo(selector, ROUNDS);
      }
      check(held + " open", most);
      for (AutoCloseable each : open) {
        each.close();
      }
    }
  }

  private static void check(String when, int most) throws IOException {
    System.gc(); // what Java itself holds is not the question
    String status = Files.readString(Path.of("/proc/self/status"));
    String resident = status.replaceAll("(?s).*VmRSS:\\s+(\\d+) kB.*", "$1");
    int pieces = RingMemory.count() - RingMemory.free();
    int mib = Integer.parseInt(resident) >> 10;
    System.out.printf("%s: %d MiB resident, %d pieces in use%n", when, mib, pieces);
    if (mib > most) {
      throw new AssertionError(when + ": " + mib + " MiB resident, at most " + most + " expected");
    }
  }

  private record Link(SocketChannel near, Socket far) implements AutoCloseable {
    static Link to(ServerSocketChannel server) throws IOException {
      InetSocketAddress address =
          (InetSocketAddress) Objects.requireNonNull(server.getLocalAddress());
      Socket far = new Socket(address.getAddress(), address.getPort());
      SocketChannel near = server.accept();
      near.configureBlocking(false);
      return new Link(near, far);
    }

    void echo(Selector selector, int rounds) throws IOException {
      SelectionKey _ = near.register(selector, SelectionKey.OP_READ);
      ByteBuffer buffer = ByteBuffer.allocate(MESSAGE_BYTES);
      for (int round = 0; round < rounds; round++) {
        far.getOutputStream().write(new byte[MESSAGE_BYTES]);
        buffer.clear();
        while (buffer.hasRemaining()) {
          int _ = selector.select();
          selector.selectedKeys().clear();
          int _ = near.read(buffer);
        }
        buffer.flip();
        while (buffer.hasRemaining()) {
          int _ = near.write(buffer);
        }
        if (far.getInputStream().readNBytes(MESSAGE_BYTES).length < MESSAGE_BYTES) {
          throw new AssertionError("the connection has ended");
        }
      }
    }

    @Override
    public void close() throws IOException {
      far.close();
      near.close();
    }
  }
}
