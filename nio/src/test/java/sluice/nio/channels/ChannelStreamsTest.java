package sluice.nio.channels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.nio.ProviderUnderTest;
import sluice.nio.Task;
import sluice.nio.descriptors.ChannelCore;
import sluice.testbase.Await;

/// Streams of `java.nio.channels.Channels` over one channel, used by two threads at once. Such a
/// stream holds `blockingLock()` while it uses the channel.
@Timeout(300)
final class ChannelStreamsTest {
  private final SelectorProvider provider = ProviderUnderTest.NEUTRAL.provider();
  private SocketChannel near;
  private SocketChannel far;
  private InputStream in;
  private OutputStream out;

  private interface Task {
    void run() throws Exception;
  }

  @BeforeEach
  void connect() throws IOException {
    try (ServerSocketChannel server = provider.openServerSocketChannel()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      near = provider.openSocketChannel();
      near.connect(server.getLocalAddress());
      far = server.accept();
    }
    in = Channels.newInputStream(near);
    out = Channels.newOutputStream(near);
  }

  @AfterEach
  void close() throws IOException {
    near.close();
    far.close();
  }

  private static FutureTask<Void> start(boolean virtual, Task task) {
    FutureTask<Void> started =
        new FutureTask<>(() -> {
          task.run();
          return null;
        });
    Thread thread = virtual ? Thread.ofVirtual().unstarted(started) : new Thread(started, "stream");
    thread.setDaemon(true);
    thread.start();
    return started;
  }

  /// Until the thread that waits in the channel has given the monitor up, there is nothing to see.
  private void awaitSuspended(ChannelCore.Direction direction) throws Exception {
    Await.until(
        "a stream that waits",
        () -> {
          synchronized (near.blockingLock()) {
            return direction.isSuspended();
          }
        });
  }

  private ChannelCore core() {
    return ((SluiceSocketChannel) near).core();
  }

  private FutureTask<Void> fill(boolean virtual) throws Exception {
    FutureTask<Void> writer =
        start(
            virtual,
            () -> {
              while (true) {
                out.write(new byte[64 << 10]);
              }
            });
    awaitSuspended(core().writes);
    return writer;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aWriteGoesOnBesideARead(boolean virtual) throws Exception {
    FutureTask<Void> reader = start(virtual, () -> assertThat(in.read()).isEqualTo(7));
    awaitSuspended(core().reads);
    out.write(99);
    ByteBuffer got = ByteBuffer.allocate(2);
    assertThat(far.read(got)).isEqualTo(1);
    assertThat(got.get(0)).isEqualTo((byte) 99);
    far.write(ByteBuffer.wrap(new byte[] {7}));
    reader.get();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aReadGoesOnBesideAWrite(boolean virtual) throws Exception {
    FutureTask<Void> writer = fill(virtual);
    far.write(ByteBuffer.wrap(new byte[] {7}));
    assertThat(in.read()).isEqualTo(7);
    near.close();
    assertThatThrownBy(writer::get).hasCauseInstanceOf(ClosedChannelException.class);
  }

  @Test
  void aSecondReaderComesAfterTheFirst() throws Exception {
    FutureTask<Void> first = start(false, () -> assertThat(in.read()).isEqualTo(1));
    awaitSuspended(core().reads);
    InputStream other = Channels.newInputStream(near);
    FutureTask<Void> second = start(true, () -> assertThat(other.read()).isEqualTo(2));
    FutureTask<Void> third = start(false, () -> near.read(ByteBuffer.allocate(1)));
    far.write(ByteBuffer.wrap(new byte[] {1}));
    first.get();
    far.write(ByteBuffer.wrap(new byte[] {2}));
    far.write(ByteBuffer.wrap(new byte[] {2}));
    second.get();
    third.get();
  }

  /// As with the JDK's channels, which wait too.
  @Test
  void theModeChangesWhenReadAndWriteHaveEnded() throws Exception {
    FutureTask<Void> writer = fill(false);
    FutureTask<Void> reader = start(false, () -> assertThat(in.read()).isEqualTo(7));
    awaitSuspended(core().reads);
    FutureTask<Void> mode = start(false, () -> near.configureBlocking(false));
    assertThat(mode.isDone()).isFalse();
    far.write(ByteBuffer.wrap(new byte[] {7}));
    reader.get();
    ByteBuffer room = ByteBuffer.allocate(1 << 20);
    Await await = new Await();
    far.configureBlocking(false);
    while (!mode.isDone()) {
      await.check("the change of the mode");
      int _ = far.read(room.clear());
    }
    mode.get();
    assertThat(near.isBlocking()).isFalse();
    assertThatThrownBy(writer::get)
        .hasCauseInstanceOf(java.nio.channels.IllegalBlockingModeException.class);
  }

  @Test
  void anInterruptClosesAsEverywhere() throws Exception {
    Thread[] thread = new Thread[1];
    FutureTask<Void> reader =
        start(
            false,
            () -> {
              thread[0] = Thread.currentThread();
              int _ = in.read();
            });
    awaitSuspended(core().reads);
    thread[0].interrupt();
    assertThatThrownBy(reader::get).hasCauseInstanceOf(ClosedByInterruptException.class);
    assertThat(near.isOpen()).isFalse();
  }

  /// An application that keeps the mode as it is holds the monitor itself.
  @Test
  void theMonitorOfAnApplicationIsKept() throws Exception {
    FutureTask<Void> reader =
        start(
            false,
            () -> {
              synchronized (near.blockingLock()) {
                assertThat(near.read(ByteBuffer.allocate(1))).isEqualTo(1);
                assertThat(near.isBlocking()).isTrue();
              }
            });
    Await.until("a reader", () -> core().reads.lock.isLocked());
    FutureTask<Void> mode = start(false, () -> near.configureBlocking(false));
    far.write(ByteBuffer.wrap(new byte[] {7}));
    reader.get();
    mode.get();
  }
}
