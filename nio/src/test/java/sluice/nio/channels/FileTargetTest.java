package sluice.nio.channels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.nio.ChildJvm;
import sluice.nio.CompletionProviders;
import sluice.nio.SluiceSelectorProvider;
import sun.nio.ch.DefaultSelectorProvider;
import sun.nio.ch.SelChImpl;

/// How a file gets to a channel of ours. What arrives, on all providers, is for
/// [sluice.nio.FileTransferTest].
@Timeout(120)
class FileTargetTest {
  private static final int LENGTH = 4 << 20;
  private static final Path COUNTS = Path.of("/proc/thread-self/io");

  @TempDir Path directory;

  /// Bytes that this thread has had from read(2) and its like.
  private static long read() throws Exception {
    return Files.readAllLines(COUNTS).stream()
        .filter(line -> line.startsWith("rchar: "))
        .mapToLong(line -> Long.parseLong(line.substring(7)))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theFileIsMappedAndNotRead(boolean rings) throws Exception {
    assumeTrue(Files.isReadable(COUNTS), () -> "the kernel does not show " + COUNTS);
    Path path = Files.write(directory.resolve("file"), new byte[LENGTH]);
    SluiceSelectorProvider provider =
        rings ? CompletionProviders.atOnce() : CompletionProviders.neutral();
    try (Selector selector = provider.openSelector();
        ServerSocketChannel server = provider.openServerSocketChannel();
        SocketChannel opened = provider.openSocketChannel();
        FileChannel file = FileChannel.open(path)) {
      assertThat(opened).isInstanceOf(SelChImpl.class);
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      InetSocketAddress address = (InetSocketAddress) server.getLocalAddress();
      try (Socket far = new Socket(address.getAddress(), address.getPort());
          SocketChannel near = server.accept()) {
        FutureTask<Integer> peer =
            new FutureTask<>(() -> far.getInputStream().readNBytes(2 * LENGTH).length);
        Thread.ofPlatform().daemon().start(peer);
        near.configureBlocking(false);
        SelectionKey _ = near.register(selector, SelectionKey.OP_WRITE);
        send(file, near, selector); // loads what it takes
        long before = read();
        send(file, near, selector);
        assertThat(read() - before).isLessThan(LENGTH / 4);
        assertThat(peer.get(60, TimeUnit.SECONDS)).isEqualTo(2 * LENGTH);
      }
    }
  }

  @Test
  void aSelectorOfTheJdkRefusesTheChannel() throws Exception {
    SluiceSelectorProvider provider = CompletionProviders.usual();
    try (Selector theirs = DefaultSelectorProvider.get().openSelector();
        SocketChannel channel = provider.openSocketChannel()) {
      channel.configureBlocking(false);
      SelectionKey key = channel.register(theirs, SelectionKey.OP_CONNECT);
      assertThatThrownBy(theirs::selectNow).isInstanceOf(IllegalSelectorException.class);
      key.cancel();
      assertThat(theirs.selectNow()).isZero();
      assertThat(channel.isRegistered()).isFalse();
    }
  }

  private static void send(FileChannel file, SocketChannel to, Selector selector) throws Exception {
    for (long at = 0; at < LENGTH; ) {
      int _ = selector.select();
      selector.selectedKeys().clear();
      at += file.transferTo(at, LENGTH - at, to);
    }
  }

  @Test
  void withoutTheExportItArrivesToo() throws Exception {
    Path path = Files.write(directory.resolve("file"), new byte[LENGTH]);
    Process child = ChildJvm.of(List.of(), Child.class, path.toString()).start();
    try {
      assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(child.exitValue()).isZero();
    } finally {
      child.destroyForcibly();
    }
  }

  /// Sends a file in a JVM that does not export `sun.nio.ch`.
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws Exception {
      SluiceSelectorProvider provider = CompletionProviders.usual();
      try (ServerSocketChannel server = provider.openServerSocketChannel();
          SocketChannel far = provider.openSocketChannel();
          FileChannel file = FileChannel.open(Path.of(arguments[0]))) {
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        far.connect(server.getLocalAddress());
        try (SocketChannel near = server.accept()) {
          FutureTask<Integer> peer = new FutureTask<>(() -> drain(far));
          Thread.ofPlatform().daemon().start(peer);
          for (long at = 0; at < LENGTH; ) {
            at += file.transferTo(at, LENGTH - at, near);
          }
          if (peer.get(60, TimeUnit.SECONDS) < LENGTH) {
            throw new IllegalStateException("less than was sent");
          }
          if (near.getClass() != SluiceSocketChannel.class) {
            throw new IllegalStateException(near.getClass() + " without the export");
          }
        }
      }
    }

    private static int drain(SocketChannel from) throws Exception {
      ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
      int all = 0;
      for (int n; all < LENGTH && (n = from.read(buffer.clear())) >= 0; ) {
        all += n;
      }
      return all;
    }
  }
}
