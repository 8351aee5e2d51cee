package sluice.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.zip.CRC32;

/// A file whose every version says which one it is, all over its body. One thread changes it; any
/// number of threads check what they were served.
///
/// ```
///   body:  | file, version | file, version | … | CRC of all before |     16 bytes each
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | begun, done | the writer | volatile | volatile |
/// | sizes | the writer | as a concurrent map | before `begun` |
final class FreshFile {
  static final int BLOCK = 16;
  private static final long ABSENT = -1;

  final String name;
  private final int number;
  private final Path path;
  private final Path aside;
  private final boolean inPlace;
  private final Random random;
  private final int mostBlocks;

  /// Body bytes of each version, or [#ABSENT].
  private final ConcurrentMap<Long, Long> sizes = new ConcurrentHashMap<>();

  /// The version that a call under way makes, or the last one made.
  private volatile long begun;

  /// The version that has been there since its call returned.
  private volatile long done;

  /// @param inPlace rewritten and truncated where it is; otherwise replaced by renames
  FreshFile(Path root, int number, boolean inPlace, Random random) throws IOException {
    this.name = "d" + number % 4 + "/f" + number + (number % 3 == 0 ? ".bin" : ".txt");
    this.number = number;
    this.path = root.resolve(name);
    this.aside = root.resolveSibling(root.getFileName() + "-aside-" + number);
    this.inPlace = inPlace;
    this.random = random;
    this.mostBlocks = number % 10 == 9 ? 130_000 : number % 3 == 1 ? 4_000 : 200;
    Files.createDirectories(path.getParent());
    replace();
  }

  boolean inPlace() {
    return inPlace;
  }

  /// The least version that a request sent now may be answered with.
  long floor() {
    return done;
  }

  void change() throws IOException {
    int choice = random.nextInt(10);
    if (inPlace && choice < 9 && Files.exists(path)) {
      rewrite(choice);
    } else if (choice == 0 && Files.exists(path)) {
      begin(ABSENT);
      Files.delete(path);
      done = begun;
    } else {
      replace();
    }
  }

  private void begin(long size) {
    long next = begun + 1;
    sizes.put(next, size);
    begun = next;
  }

  private void replace() throws IOException {
    byte[] body = body(begun + 1, 2 + random.nextInt(mostBlocks));
    Files.write(aside, body);
    begin(body.length);
    Files.move(aside, path, StandardCopyOption.ATOMIC_MOVE);
    done = begun;
  }

  /// Rewrites with one `pwrite`, or truncates first: each of these calls leaves a version, or the
  /// beginning of one.
  private void rewrite(int choice) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      long size = channel.size();
      if (choice < 3) {
        begin(size / 2);
        channel.truncate(size / 2);
        size = 0;
      }
      boolean same = choice > 5 && size > 0;
      int blocks = same ? (int) (size / BLOCK) : 2 + random.nextInt(mostBlocks);
      if (!same) {
        begin(0);
        channel.truncate(0);
      }
      byte[] body = body(begun + 1, blocks);
      begin(body.length);
      ByteBuffer bytes = ByteBuffer.allocateDirect(body.length).put(body).flip();
      channel.write(bytes, 0);
      if (bytes.hasRemaining()) {
        throw new IOException("a short write");
      }
      done = begun;
    }
  }

  private byte[] body(long version, int blocks) {
    ByteBuffer body = ByteBuffer.allocate(blocks * BLOCK);
    while (body.remaining() > BLOCK) {
      body.putLong(number).putLong(version);
    }
    CRC32 crc = new CRC32();
    crc.update(body.array(), 0, body.position());
    return body.putLong(number).putLong(crc.getValue()).array();
  }

  /// Checks that a whole body is one version, not older than `floor`.
  ///
  /// @return the version
  long check(byte[] body, long floor) {
    ByteBuffer in = ByteBuffer.wrap(body);
    if (body.length < BLOCK) {
      return partly(floor, body.length);
    }
    long version = in.getLong(Long.BYTES);
    Long size = sizes.get(version);
    boolean whole = size != null && size == body.length;
    int blocks = body.length / BLOCK - (whole ? 1 : 0);
    for (int i = 0; i < blocks; i++) {
      require(in.getLong() == number && in.getLong() == version, "mixed", version, floor);
    }
    if (whole) {
      CRC32 crc = new CRC32();
      crc.update(body, 0, body.length - BLOCK);
      require(in.getLong() == number && in.getLong() == crc.getValue(), "damaged", version, floor);
      require(version >= floor, "stale", version, floor);
    } else {
      partly(floor, body.length);
    }
    return version;
  }

  /// Checks a body that is the beginning of one version: of a file that was truncated meanwhile.
  private long partly(long floor, int length) {
    require(inPlace, "cut to " + length, -1, floor);
    for (long version = begun; version >= floor; version--) { // nothing tells empty ones apart
      if (Long.valueOf(length).equals(sizes.get(version))) {
        return version;
      }
    }
    throw failure("of a length it never had: " + length, -1, floor);
  }

  /// Checks a piece of a body.
  void checkPart(byte[] part, long start, long length, long floor) {
    ByteBuffer in = ByteBuffer.wrap(part);
    if (start % BLOCK != 0 || part.length < BLOCK || start + BLOCK >= length) {
      return;
    }
    require(in.getLong() == number, "damaged", -1, floor);
    long version = in.getLong();
    for (long at = start + BLOCK; at + BLOCK < length && in.remaining() >= BLOCK; at += BLOCK) {
      require(in.getLong() == number && in.getLong() == version, "mixed", version, floor);
    }
    Long size = sizes.get(version);
    if (!inPlace) {
      require(size != null && size == length, "of length " + length, version, floor);
      require(version >= floor, "stale", version, floor);
    }
  }

  /// Checks a reply that says there is nothing.
  void checkAbsent(long floor) {
    for (long version = floor; version <= begun; version++) {
      if (Long.valueOf(ABSENT).equals(sizes.get(version))) {
        return;
      }
    }
    throw failure("said to be absent", -1, floor);
  }

  /// Checks a reply that says that a version is still the one.
  void checkStill(long version, long floor) {
    require(version >= floor, "said to be unchanged", version, floor);
  }

  private void require(boolean condition, String what, long version, long floor) {
    if (!condition) {
      throw failure(what, version, floor);
    }
  }

  private AssertionError failure(String what, long version, long floor) {
    return new AssertionError(
        "%s is %s: version %d served, asked at %d, now %d"
            .formatted(name, what, version, floor, begun));
  }
}
