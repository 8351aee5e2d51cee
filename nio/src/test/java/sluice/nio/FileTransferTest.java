package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files to channels and back.
class FileTransferTest extends Scenario {
  private static final int LENGTH = 3_000_000;

  @TempDir Path directory;

  @Test
  void aFileGoesToABlockingChannel() throws Exception {
    Link link = link();
    FileChannel file = file();
    Task<byte[]> reading = Task.start(() -> receive(link.far(), LENGTH - 100));
    for (long at = 100; at < LENGTH; ) {
      long count = file.transferTo(at, LENGTH - at, link.near());
      assertThat(count).isPositive();
      at += count;
    }
    assertThat(reading.join()).isEqualTo(Arrays.copyOfRange(pattern(LENGTH), 100, LENGTH));
    assertThat(file.position()).isZero();
  }

  @Test
  void aFileGoesToASelectedChannelAsFarAsThereIsRoom() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, SelectionKey.OP_WRITE);
    FileChannel file = file();
    writeFully(link.near(), text("head"));
    Task<byte[]> reading = Task.start(() -> receive(link.far(), LENGTH + 8));
    for (long at = 0; at < LENGTH; ) {
      awaitReady(selector, key, SelectionKey.OP_WRITE);
      at += file.transferTo(at, LENGTH - at, link.near());
    }
    writeFully(link.near(), text("tail"));
    byte[] received = reading.join();
    assertThat(text(Arrays.copyOf(received, 4))).isEqualTo("head");
    assertThat(Arrays.copyOfRange(received, 4, LENGTH + 4)).isEqualTo(pattern(LENGTH));
    assertThat(text(Arrays.copyOfRange(received, LENGTH + 4, LENGTH + 8))).isEqualTo("tail");
  }

  @Test
  void afterTheEndOfTheFileThereIsNothing() throws Exception {
    Link link = link();
    FileChannel file = file();
    assertThat(file.transferTo(LENGTH, 10, link.near())).isZero();
    assertThat(file.transferTo(LENGTH + 5, 10, link.near())).isZero();
    assertThat(file.transferTo(LENGTH - 3, 10, link.near())).isEqualTo(3);
    assertThat(receive(link.far(), 3)).hasSize(3);
  }

  @Test
  void aFileTakesFromABlockingChannel() throws Exception {
    Link link = link();
    byte[] bytes = pattern(LENGTH);
    Task<Boolean> sending =
        Task.start(() -> {
          send(link.far(), bytes);
          link.far().shutdownOutput();
          return true;
        });
    FileChannel file = empty();
    long at = 0;
    for (long count = 1; count > 0; at += count) {
      count = file.transferFrom(link.near(), at, 1 << 20);
    }
    assertThat(sending.join()).isTrue();
    assertThat(at).isEqualTo(LENGTH);
    ByteBuffer content = ByteBuffer.allocate(LENGTH);
    readWhole(file, content);
    assertThat(content.array()).isEqualTo(bytes);
  }

  @Test
  void aFileTakesFromASelectedChannelWhatIsThere() throws Exception {
    Selector selector = selector();
    Link link = link();
    SelectionKey key = register(link.near(), selector, SelectionKey.OP_READ);
    FileChannel file = empty();
    assertThat(file.transferFrom(link.near(), 0, 100)).isZero();
    send(link.far(), "0123456789");
    long at = 0;
    while (at < 10) {
      awaitReady(selector, key, SelectionKey.OP_READ);
      at += file.transferFrom(link.near(), at, 100);
    }
    ByteBuffer content = ByteBuffer.allocate(10);
    readWhole(file, content);
    assertThat(text(content.array())).isEqualTo("0123456789");
  }

  @Test
  void pipesTakePartToo() throws Exception {
    Pipe pipe = pipe();
    FileChannel file = file();
    assertThat(file.transferTo(10, 1000, pipe.sink())).isEqualTo(1000);
    FileChannel copy = empty();
    long at = 0;
    while (at < 1000) {
      long some = copy.transferFrom(pipe.source(), at, 1000 - at);
      assertThat(some).isPositive();
      at += some;
    }
    ByteBuffer content = ByteBuffer.allocate(1000);
    readWhole(copy, content);
    assertThat(content.array()).isEqualTo(Arrays.copyOfRange(pattern(1010), 10, 1010));
  }

  @Test
  void closedChannelsAreNoticed() throws Exception {
    Link link = link();
    FileChannel file = file();
    link.near().close();
    assertThatThrownBy(() -> file.transferTo(0, 10, link.near()))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> empty().transferFrom(link.near(), 0, 10))
        .isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void aMappedFileIsWrittenLikeAnyBuffer() throws Exception {
    Link link = link();
    var mapped = file().map(FileChannel.MapMode.READ_ONLY, 50, 100_000);
    Task<byte[]> reading = Task.start(() -> receive(link.far(), 100_000));
    writeFully(link.near(), mapped);
    assertThat(reading.join()).isEqualTo(Arrays.copyOfRange(pattern(LENGTH), 50, 100_050));
  }

  private FileChannel file() throws Exception {
    Path path = directory.resolve("content");
    Files.write(path, pattern(LENGTH));
    return closing(FileChannel.open(path));
  }

  private FileChannel empty() throws Exception {
    return closing(
        FileChannel.open(
            directory.resolve("empty" + System.nanoTime()),
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE));
  }

  private static void readWhole(FileChannel file, ByteBuffer into) throws Exception {
    file.position(0);
    while (into.hasRemaining() && file.read(into) >= 0) {
      Thread.onSpinWait();
    }
  }
}
