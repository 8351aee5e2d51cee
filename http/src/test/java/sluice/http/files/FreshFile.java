package sluice.http.files;

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
/// | contents | the writer | as a concurrent map | before `begun` |
/// | tags | readers | as a concurrent map | put if absent |
public final class FreshFile {
  public static final int BLOCK = 16;
  private static final long NOTHING = -1;

  /// What a version consists of: bytes from the beginning of the version that wrote them. Two
  /// versions of equal content, such as empty ones, cannot be told apart and need not be.
  ///
  /// @param source the version that wrote the bytes; [#NOTHING] when there are none
  private record Content(long source, long lengthBytes) {}

  private static final Content EMPTY = new Content(NOTHING, 0);
  private static final Content ABSENT = new Content(NOTHING, -1);

  public final String name;
  private final int number;
  private final Path path;
  private final Path aside;
  private final boolean inPlace;
  private final Random random;
  private final int mostBlocks;

  private final ConcurrentMap<Long, Content> contents = new ConcurrentHashMap<>();

  /// What was served with each entity tag.
  private final ConcurrentMap<String, Content> tags = new ConcurrentHashMap<>();

  /// The version that a call under way makes, or the last one made.
  private volatile long begun;

  /// The version that has been there since its call returned.
  private volatile long done;

  /// @param inPlace rewritten and truncated where it is; otherwise replaced by renames
  public FreshFile(Path root, int number, boolean inPlace, Random random) throws IOException {
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

  public boolean inPlace() {
    return inPlace;
  }

  /// The least version that a request sent now may be answered with.
  public long floor() {
    return done;
  }

  public void change() throws IOException {
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

  private void begin(Content content) {
    long next = begun + 1;
    contents.put(next, content);
    begun = next;
  }

  private void beginWhole(int size) {
    begin(new Content(begun + 1, size));
  }

  private void replace() throws IOException {
    byte[] body = body(begun + 1, 2 + random.nextInt(mostBlocks));
    Files.write(aside, body);
    beginWhole(body.length);
    Files.move(aside, path, StandardCopyOption.ATOMIC_MOVE);
    done = begun;
  }

  /// Rewrites with one `pwrite`, or truncates first: each of these calls leaves a version, or the
  /// beginning of one.
  private void rewrite(int choice) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      long size = channel.size();
      if (choice < 3) {
        Content cut = contents.getOrDefault(begun, ABSENT);
        begin(new Content(cut.source, size / 2));
        channel.truncate(size / 2);
        size = 0;
      }
      boolean same = choice > 5 && size > 0;
      int blocks = same ? (int) (size / BLOCK) : 2 + random.nextInt(mostBlocks);
      if (!same) {
        begin(EMPTY);
        channel.truncate(0);
      }
      byte[] body = body(begun + 1, blocks);
      beginWhole(body.length);
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

  /// Checks that a whole body is one version, or the beginning of a truncated one, and that the
  /// file had this content at some time since `floor`; and that its tag stands for nothing else.
  public void check(String tag, byte[] body, long floor) {
    require(body.length == 0 || body.length >= BLOCK, "cut to " + body.length, NOTHING, floor);
    ByteBuffer in = ByteBuffer.wrap(body);
    long source = body.length == 0 ? NOTHING : in.getLong(Long.BYTES);
    Content content = new Content(source, body.length);
    boolean whole = content.equals(contents.get(source));
    int blocks = body.length / BLOCK - (whole ? 1 : 0);
    for (int i = 0; i < blocks; i++) {
      require(in.getLong() == number && in.getLong() == source, "mixed", source, floor);
    }
    if (whole) {
      CRC32 crc = new CRC32();
      crc.update(body, 0, body.length - BLOCK);
      require(in.getLong() == number && in.getLong() == crc.getValue(), "damaged", source, floor);
    }
    checkTag(tag, content, floor);
  }

  /// Checks a piece of a body.
  public void checkPart(String tag, byte[] part, long start, long length, long floor) {
    ByteBuffer in = ByteBuffer.wrap(part);
    if (start % BLOCK != 0 || part.length < BLOCK || start + BLOCK >= length) {
      return;
    }
    require(in.getLong() == number, "damaged", NOTHING, floor);
    long source = in.getLong();
    for (long at = start + BLOCK; at + BLOCK < length && in.remaining() >= BLOCK; at += BLOCK) {
      require(in.getLong() == number && in.getLong() == source, "mixed", source, floor);
    }
    checkTag(tag, new Content(source, length), floor);
  }

  private void checkTag(String tag, Content content, long floor) {
    Content before = tags.putIfAbsent(tag, content);
    require(
        before == null || before.equals(content),
        "served with " + tag + ", the tag of " + before,
        content.source,
        floor);
    requireSince(content, "stale: " + content, floor);
  }

  /// Checks a reply that says there is nothing.
  public void checkAbsent(long floor) {
    requireSince(ABSENT, "said to be absent", floor);
  }

  /// Checks a reply that says that what has this tag is still there.
  public void checkStill(String tag, long floor) {
    Content content = tags.get(tag);
    if (content == null) {
      throw failure("said to be unchanged by a tag that nobody was given", NOTHING, floor);
    }
    requireSince(content, "said to be unchanged: " + content, floor);
  }

  /// The file must have had the content at some time since the version `floor`.
  private void requireSince(Content content, String what, long floor) {
    for (long version = begun; version >= floor; version--) {
      if (content.equals(contents.get(version))) {
        return;
      }
    }
    throw failure(what, content.source, floor);
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
