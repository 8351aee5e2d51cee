package sluice.fs.provider;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.DSYNC;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.SPARSE;
import static java.nio.file.StandardOpenOption.SYNC;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.testbase.Await;

/// Tests that both providers handle open files in the same way.
@Timeout(120)
@ParameterizedClass
@EnumSource(ContractProvider.class)
final class ChannelContractTest {
  private final ContractProvider ground;
  private ContractProvider.Directory directory;
  private Path dir;
  private Path file;

  ChannelContractTest(ContractProvider ground) {
    this.ground = ground;
  }

  @BeforeEach
  void open() throws IOException {
    directory = ground.directory();
    dir = directory.path();
    file = dir.resolve("file");
  }

  @AfterEach
  void close() throws IOException {
    directory.close();
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  private static String text(ByteBuffer buffer) {
    return UTF_8.decode(buffer.flip()).toString();
  }

  private FileChannel channel(OpenOption... options) throws IOException {
    return FileChannel.open(file, options);
  }

  // ---- opening ----------------------------------------------------------------------------------

  @Test
  void optionsDecide() throws IOException {
    assertThatThrownBy(() -> channel(WRITE)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> channel(CREATE)).isInstanceOf(NoSuchFileException.class);
    channel(CREATE_NEW, WRITE, SPARSE).close();
    assertThatThrownBy(() -> channel(CREATE_NEW, WRITE))
        .isInstanceOf(FileAlreadyExistsException.class);
    Files.writeString(file, "0123456789");
    channel(CREATE, WRITE).close();
    assertThat(Files.size(file)).isEqualTo(10);
    channel(READ, TRUNCATE_EXISTING).close();
    assertThat(Files.size(file)).isEqualTo(10);
    try (FileChannel channel = channel(WRITE, TRUNCATE_EXISTING)) {
      assertThat(channel.size()).isZero();
      assertThat(channel.write(bytes("abc"))).isEqualTo(3);
      assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
          .isInstanceOf(NonReadableChannelException.class);
    }
    try (FileChannel channel = channel()) {
      assertThatThrownBy(() -> channel.write(bytes("x")))
          .isInstanceOf(NonWritableChannelException.class);
      assertThatThrownBy(() -> channel.truncate(0)).isInstanceOf(NonWritableChannelException.class);
    }
    assertThatThrownBy(() -> channel(READ, APPEND)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> channel(APPEND, TRUNCATE_EXISTING))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> channel(new OpenOption() {}))
        .isInstanceOf(UnsupportedOperationException.class);
    for (OpenOption stable : List.of(SYNC, DSYNC)) {
      try (FileChannel channel = channel(WRITE, stable)) {
        assertThat(channel.write(bytes("stable"))).isEqualTo(6);
        channel.force(true);
        channel.force(false);
      }
    }
    assertThatThrownBy(() -> FileChannel.open(dir, WRITE)).isInstanceOf(IOException.class);
    try (FileChannel channel = FileChannel.open(dir, READ)) {
      assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
          .isInstanceOf(IOException.class);
      channel.force(true);
    }
  }

  @Test
  void deletedOnClose() throws IOException {
    try (FileChannel channel = channel(CREATE_NEW, READ, WRITE, DELETE_ON_CLOSE)) {
      assertThat(channel.write(bytes("for a while"))).isEqualTo(11);
      assertThat(channel.size()).isEqualTo(11);
    }
    assertThat(file).doesNotExist();
  }

  @Test
  void anOpenFileOutlivesItsName() throws IOException {
    try (FileChannel channel = channel(CREATE_NEW, READ, WRITE)) {
      assertThat(channel.write(bytes("still here"))).isEqualTo(10);
      Files.delete(file);
      Files.writeString(file, "another");
      ByteBuffer read = ByteBuffer.allocate(20);
      assertThat(channel.read(read, 0)).isEqualTo(10);
      assertThat(text(read)).isEqualTo("still here");
      Files.move(file, dir.resolve("moved"));
    }
    assertThat(Files.readString(dir.resolve("moved"))).isEqualTo("another");
  }

  // ---- reading and writing ----------------------------------------------------------------------

  @Test
  void positionsMove() throws IOException {
    try (FileChannel channel = channel(CREATE_NEW, READ, WRITE)) {
      assertThat(channel.write(bytes("0123456789"))).isEqualTo(10);
      assertThat(channel.position()).isEqualTo(10);
      assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(-1);
      assertThat(channel.read(ByteBuffer.allocate(0))).isZero();
      ByteBuffer three = ByteBuffer.allocateDirect(3);
      assertThat(channel.position(4).read(three)).isEqualTo(3);
      assertThat(text(three)).isEqualTo("456");
      assertThat(channel.position()).isEqualTo(7);
      assertThat(channel.read(ByteBuffer.allocate(5), 8)).isEqualTo(2);
      assertThat(channel.read(ByteBuffer.allocate(5), 100)).isEqualTo(-1);
      assertThat(channel.position()).isEqualTo(7);
      assertThat(channel.write(bytes("XY"), 12)).isEqualTo(2);
      assertThat(channel.size()).isEqualTo(14);
      assertThat(channel.position(20).write(bytes("Z"))).isEqualTo(1);
      assertThat(channel.size()).isEqualTo(21);
      assertThatThrownBy(() -> channel.position(-1)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1), -1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> channel.write(bytes("x"), -1))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1).asReadOnlyBuffer()))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(channel.truncate(5).position()).isEqualTo(5);
      assertThat(channel.truncate(50).size()).isEqualTo(5);
    }
    assertThat(Files.readString(file)).isEqualTo("01234");
  }

  @Test
  void scattersAndGathers() throws IOException {
    try (FileChannel channel = channel(CREATE_NEW, READ, WRITE)) {
      ByteBuffer[] sources = {bytes("ab"), bytes(""), bytes("cdef"), bytes("ghi")};
      assertThat(channel.write(sources)).isEqualTo(9);
      ByteBuffer[] targets = {
        ByteBuffer.allocate(1), ByteBuffer.allocateDirect(4), ByteBuffer.allocate(10)
      };
      assertThat(channel.position(0).read(targets)).isEqualTo(9);
      assertThat(Arrays.stream(targets).map(ChannelContractTest::text))
          .containsExactly("a", "bcde", "fghi");
      assertThat(channel.read(new ByteBuffer[] {ByteBuffer.allocate(1)})).isEqualTo(-1);
      assertThat(channel.position(0).read(new ByteBuffer[] {}, 0, 0)).isZero();
      assertThatThrownBy(() -> channel.read(targets, 2, 2))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void appendingGoesToTheEnd() throws IOException {
    Files.writeString(file, "start ");
    try (FileChannel one = channel(APPEND);
        FileChannel two = channel(WRITE, APPEND)) {
      assertThat(one.write(bytes("a"))).isEqualTo(1);
      assertThat(two.write(bytes("b"))).isEqualTo(1);
      assertThat(one.position(0).write(bytes("c"))).isEqualTo(1);
      assertThat(one.position()).isEqualTo(9);
    }
    assertThat(Files.readString(file)).isEqualTo("start abc");
    Files.writeString(file, "!", APPEND);
    assertThat(Files.readString(file)).isEqualTo("start abc!");
  }

  @Test
  void randomWritesMatchAnArray() throws IOException {
    long seed = Long.getLong("sluice.seed", 1);
    Random random = new Random(seed);
    byte[] model = new byte[1_500_000];
    int end = 0;
    try (FileChannel channel = channel(CREATE_NEW, READ, WRITE)) {
      for (int i = 0; i < 200; i++) {
        byte[] piece = new byte[random.nextInt(random.nextBoolean() ? 300_000 : 50)];
        random.nextBytes(piece);
        int at = random.nextInt(model.length - piece.length);
        ByteBuffer buffer =
            random.nextBoolean()
                ? ByteBuffer.wrap(piece)
                : ByteBuffer.allocateDirect(piece.length).put(piece).flip();
        assertThat(channel.write(buffer, at)).as("seed %d", seed).isEqualTo(piece.length);
        System.arraycopy(piece, 0, model, at, piece.length);
        end = piece.length == 0 ? end : Math.max(end, at + piece.length);
        if (i % 40 == 39) {
          int cut = random.nextInt(model.length);
          channel.truncate(cut);
          Arrays.fill(model, Math.min(cut, end), model.length, (byte) 0);
          end = Math.min(cut, end);
        }
      }
    }
    assertThat(Files.readAllBytes(file)).as("seed %d", seed).isEqualTo(Arrays.copyOf(model, end));
  }

  @Test
  void streamsReadAndWrite() throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int i = 0; i < 100_000; i++) {
        out.write(("line " + i + "\n").getBytes(UTF_8));
      }
    }
    try (InputStream in = Files.newInputStream(file)) {
      in.skipNBytes(5);
      assertThat(in.read()).isEqualTo('0');
      assertThat(in.transferTo(OutputStream.nullOutputStream())).isEqualTo(Files.size(file) - 6);
    }
    assertThat(Files.readAllLines(file)).hasSize(100_000).endsWith("line 99999");
    try (var lines = Files.lines(file)) {
      assertThat(lines.parallel().filter(line -> line.endsWith("7"))).hasSize(10_000);
    }
  }

  @Test
  @SuppressWarnings("try") // closed early on purpose
  void transfers() throws IOException {
    byte[] content = new byte[700_001];
    new Random(7).nextBytes(content);
    Files.write(file, content);
    try (FileChannel channel = channel(READ, WRITE);
        FileChannel other = FileChannel.open(dir.resolve("other"), CREATE_NEW, READ, WRITE)) {
      assertThat(channel.transferTo(0, Long.MAX_VALUE, other)).isEqualTo(content.length);
      assertThat(Files.mismatch(file, dir.resolve("other"))).isEqualTo(-1);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      assertThat(channel.transferTo(100, 300_000, Channels.newChannel(out))).isEqualTo(300_000);
      assertThat(out.toByteArray()).isEqualTo(Arrays.copyOfRange(content, 100, 300_100));
      assertThat(channel.transferTo(content.length, 10, other)).isZero();
      assertThat(channel.position()).isZero();
      assertThat(
              other.transferFrom(
                  Channels.newChannel(new ByteArrayInputStream(content)), 5, 200_000))
          .isEqualTo(200_000);
      assertThat(other.transferFrom(channel.position(10), 0, 5)).isEqualTo(5);
      assertThat(channel.position()).isEqualTo(15);
      assertThat(other.transferFrom(channel, other.size() + 1, 5)).isEqualTo(5);
      assertThatThrownBy(() -> channel.transferTo(-1, 1, other))
          .isInstanceOf(IllegalArgumentException.class);
      other.close();
      assertThatThrownBy(() -> channel.transferTo(0, 1, other))
          .isInstanceOf(ClosedChannelException.class);
    }
  }

  // ---- closing, locks, maps ---------------------------------------------------------------------

  @Test
  void aClosedChannelRefuses() throws IOException {
    FileChannel channel = channel(CREATE_NEW, READ, WRITE);
    channel.close();
    channel.close();
    assertThat(channel.isOpen()).isFalse();
    assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> channel.write(bytes("x"), 0))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(channel::size).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(channel::position).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(channel::tryLock).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> channel.force(true)).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void interruptingClosesTheChannel() throws IOException {
    FileChannel channel = channel(CREATE_NEW, READ, WRITE);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> channel.write(bytes("x")))
        .isInstanceOf(ClosedByInterruptException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(channel.isOpen()).isFalse();
    assertThat(Files.size(file)).isLessThanOrEqualTo(1);
  }

  @Test
  void streamsDoNotMindInterrupts() throws IOException {
    Thread.currentThread().interrupt();
    try (OutputStream out = Files.newOutputStream(file);
        InputStream in = Files.newInputStream(file)) {
      out.write('x');
      assertThat(in.read()).isEqualTo('x');
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThatThrownBy(() -> Files.newInputStream(file, WRITE))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> Files.newOutputStream(file, READ))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @SuppressWarnings("try") // closed early on purpose
  void locksOverlapWithinTheJvm() throws IOException {
    try (FileChannel one = channel(CREATE_NEW, READ, WRITE);
        FileChannel two = channel(READ, WRITE)) {
      FileLock first = one.lock(10, 10, false);
      assertThat(first.isValid()).isTrue();
      assertThat(first.acquiredBy()).isSameAs(one);
      assertThatThrownBy(() -> two.lock(15, 1, true))
          .isInstanceOf(OverlappingFileLockException.class);
      assertThatThrownBy(() -> one.tryLock()).isInstanceOf(OverlappingFileLockException.class);
      FileLock beside = two.tryLock(20, 5, true);
      assertThat(beside.isShared()).isTrue();
      first.release();
      first.release();
      assertThat(first.isValid()).isFalse();
      FileLock again = two.lock(0, 20, false);
      two.close();
      assertThat(again.isValid()).isFalse();
      try (FileLock whole = one.lock()) {
        assertThat(whole.overlaps(1L << 40, 1)).isTrue();
      }
      assertThatThrownBy(again::release).isInstanceOf(ClosedChannelException.class);
    }
    try (FileChannel reader = channel(READ)) {
      assertThatThrownBy(reader::lock).isInstanceOf(NonWritableChannelException.class);
      reader.lock(0, 1, true).release();
    }
  }

  @Test
  void mapsShowTheContent() throws IOException {
    Files.writeString(file, "0123456789");
    try (FileChannel channel = channel(READ, WRITE);
        Arena arena = Arena.ofConfined()) {
      MappedByteBuffer map = channel.map(MapMode.READ_ONLY, 2, 5);
      assertThat(map.isReadOnly()).isTrue();
      assertThat(UTF_8.decode(map).toString()).isEqualTo("23456");
      MappedByteBuffer own = channel.map(MapMode.PRIVATE, 0, 10);
      own.put(0, (byte) 'X');
      assertThat(Files.readString(file)).startsWith("0");
      assertThat(channel.map(MapMode.READ_ONLY, 0, 10, arena).get(ValueLayout.JAVA_BYTE, 9))
          .isEqualTo((byte) '9');
      assertThatThrownBy(() -> channel.map(MapMode.READ_ONLY, -1, 5))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> channel.map(MapMode.READ_ONLY, 0, 1L << 32))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  // ---- threads ----------------------------------------------------------------------------------

  @Test
  void threadsAppendWithoutLoss() throws Exception {
    int threads = 6;
    int lines = 300;
    List<Throwable> failures = new ArrayList<>();
    List<Thread> started = new ArrayList<>();
    Files.createFile(file);
    try (FileChannel shared = channel(APPEND)) {
      for (int t = 0; t < threads; t++) {
        int number = t;
        started.add(
            Thread.ofPlatform()
                .start(() -> {
                  try (FileChannel own = channel(APPEND)) {
                    for (int i = 0; i < lines; i++) {
                      FileChannel channel = i % 2 == 0 ? shared : own;
                      assertThat(channel.write(bytes("thread " + number + " line " + i + "\n")))
                          .isPositive();
                    }
                  } catch (IOException | RuntimeException | AssertionError e) {
                    synchronized (failures) {
                      failures.add(e);
                    }
                  }
                }));
      }
      for (Thread thread : started) {
        Await.end(thread);
      }
    }
    assertThat(failures).isEmpty();
    List<String> all = Files.readAllLines(file);
    assertThat(all).hasSize(threads * lines).doesNotHaveDuplicates();
    assertThat(all).allMatch(line -> line.matches("thread \\d line \\d+"));
  }
}
