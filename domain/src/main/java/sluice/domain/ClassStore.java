package sluice.domain;

import java.io.IOException;
import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// A file that contains the translated classes of one component. It is mapped, or copied if it is
/// short, once for all domains of this process. Any thread may call.
///
/// ```
/// "SLCLASS1" | name length, body length, sum of head, sum of body | name | body | ...
/// ```
///
/// Numbers are four bytes long and big-endian. Sums are CRC-32C. Records are appended under a file
/// lock. Readers stop at a record that was only partially written by a killed process, and the next
/// writer overwrites it. If the checksum of a body is wrong, the file is deleted.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | OPEN | any thread | concurrent map | concurrent map |
/// | all others | the constructor | plain | final |
final class ClassStore {
  private static final byte[] MAGIC = "SLCLASS1".getBytes(StandardCharsets.US_ASCII);
  private static final int HEAD_BYTES = 16;
  private static final int MOST_NAME_BYTES = 65_535;

  /// Files up to this size are copied, because the first mapping of a JVM takes 15 ms.
  private static final int MOST_COPIED_BYTES = 256 << 10;

  private static final Map<Path, SoftReference<ClassStore>> OPEN = new ConcurrentHashMap<>();
  private static final Object WRITING = new Object();

  /// A store without classes.
  static final ClassStore EMPTY = new ClassStore(ByteBuffer.allocate(0));

  private record Entry(int at, int bytes, int sum) {}

  private final long fileBytes;
  private final ByteBuffer mapped;
  private final Map<String, Entry> index = new HashMap<>();

  /// The offset at which the records end, or 0 if the file is not a class store.
  private final int end;

  private ClassStore(ByteBuffer mapped) {
    this.fileBytes = mapped.capacity();
    this.mapped = mapped;
    end = scan(mapped, index);
  }

  /// Returns the store for the current content of a file, or an empty store if the file does not
  /// exist or cannot be read.
  static ClassStore of(Path file) {
    SoftReference<ClassStore> known = OPEN.get(file);
    ClassStore store = known == null ? null : known.get();
    try {
      long size = Files.size(file);
      if (store == null || store.fileBytes != size) {
        store = map(file);
        OPEN.values().removeIf(each -> each.get() == null);
        OPEN.put(file, new SoftReference<>(store));
      }
      return store;
    } catch (IOException e) {
      OPEN.remove(file);
      return EMPTY;
    }
  }

  private static ClassStore map(Path file) throws IOException {
    if (Files.size(file) <= MOST_COPIED_BYTES) {
      return new ClassStore(ByteBuffer.wrap(Files.readAllBytes(file)));
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      MappedByteBuffer all =
          channel.map(
              FileChannel.MapMode.READ_ONLY, 0, Math.min(channel.size(), Integer.MAX_VALUE));
      return new ClassStore(all);
    }
  }

  /// Indexes the records of a file.
  ///
  /// @return the offset at which they end, or 0 if the file is not a class store
  private static int scan(ByteBuffer all, Map<String, Entry> index) {
    if (all.capacity() < MAGIC.length
        || !all.slice(0, MAGIC.length).equals(ByteBuffer.wrap(MAGIC))) {
      return 0;
    }
    int at = MAGIC.length;
    while (all.capacity() - at >= HEAD_BYTES) {
      int name = all.getInt(at);
      int body = all.getInt(at + 4);
      int left = all.capacity() - at - HEAD_BYTES;
      if (name < 1 || name > MOST_NAME_BYTES || body < 1 || name > left || body > left - name) {
        break;
      }
      byte[] text = new byte[name];
      all.get(at + HEAD_BYTES, text);
      if (all.getInt(at + 8) != headSum(body, text)) {
        break;
      }
      int begin = at + HEAD_BYTES + name;
      index.put(
          new String(text, StandardCharsets.UTF_8), new Entry(begin, body, all.getInt(at + 12)));
      at = begin + body;
    }
    return at;
  }

  private static int headSum(int body, byte[] name) {
    CRC32C sum = new CRC32C();
    sum.update(ByteBuffer.allocate(4).putInt(0, body));
    sum.update(name);
    return (int) sum.getValue();
  }

  private static int sum(ByteBuffer body) {
    CRC32C sum = new CRC32C();
    sum.update(body);
    return (int) sum.getValue();
  }

  /// Returns the bytes of a class, or null if the store does not contain it.
  ///
  /// @param file the file of this store, which is deleted if the record is damaged
  byte @Nullable [] find(Path file, String internalName) {
    Entry entry = index.get(internalName);
    if (entry == null) {
      return null;
    }
    byte[] body = new byte[entry.bytes];
    mapped.get(entry.at, body);
    if (sum(ByteBuffer.wrap(body)) == entry.sum) {
      return body;
    }
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // The next reader detects the damage again.
    }
    OPEN.remove(file);
    return null;
  }

  /// Appends a class unless the file already contains it. Readers see the class after they have
  /// reopened the store.
  static void add(Path file, String internalName, byte[] body) throws IOException {
    byte[] name = internalName.getBytes(StandardCharsets.UTF_8);
    synchronized (WRITING) {
      try (FileChannel channel =
              FileChannel.open(
                  file,
                  StandardOpenOption.READ,
                  StandardOpenOption.WRITE,
                  StandardOpenOption.CREATE);
          FileLock _ = channel.lock()) {
        ClassStore now =
            new ClassStore(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
        if (now.index.containsKey(internalName)) {
          return;
        }
        int end = now.end;
        if (end == 0) {
          channel.truncate(0);
          channel.write(ByteBuffer.wrap(MAGIC), 0);
          end = MAGIC.length;
        }
        ByteBuffer record = ByteBuffer.allocate(HEAD_BYTES + name.length + body.length);
        record.putInt(name.length).putInt(body.length).putInt(headSum(body.length, name));
        record.putInt(sum(ByteBuffer.wrap(body))).put(name).put(body).flip();
        channel.truncate(end);
        channel.write(record, end);
      }
    }
  }
}
