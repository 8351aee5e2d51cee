package sluice.fs.provider;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.ext2.MountOptions;
import sluice.fs.ext2.format.FormatOptions;

/// The options that are passed to `FileSystems.newFileSystem`. Instances are immutable and
/// thread-safe.
///
/// | key | value | default |
/// |---|---|---|
/// | `readOnly` | boolean | false |
/// | `cacheBytes` | memory for blocks | 64 MiB |
/// | `create` | boolean: creates the image if it does not exist; needs `size` | false |
/// | `size` | bytes of a new image | |
/// | `blockSize` | 1024, 2048 or 4096, of a new image | by size |
/// | `user`, `group` | numbers: the caller, and owner of new files | 0 |
/// | `caller` | a [Caller], instead of both | |
/// | `tree` | a [FileTree] instead of an image; the file system closes it | |
///
/// Numbers and booleans may also be given as strings.
record ImageOptions(Map<String, ?> given) {
  private static final Set<String> KEYS =
      Set.of(
          "readOnly",
          "cacheBytes",
          "create",
          "size",
          "blockSize",
          "user",
          "group",
          "caller",
          "tree");

  /// Checks that all keys are known.
  ///
  /// @throws IllegalArgumentException if there is an unknown key
  ImageOptions {
    Set<String> unknown = new TreeSet<>(given.keySet());
    unknown.removeAll(KEYS);
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "unknown options " + unknown + "; Fix: use " + new TreeSet<>(KEYS));
    }
  }

  private boolean bool(String key) {
    Object value = given.get(key);
    return switch (value) {
      case null -> false;
      case Boolean b -> b;
      case String s when s.isEmpty() || s.equalsIgnoreCase("true") -> true;
      case String s when s.equalsIgnoreCase("false") -> false;
      default -> throw wrong(key, value);
    };
  }

  private long number(String key, long otherwise) {
    Object value = given.get(key);
    try {
      return switch (value) {
        case null -> otherwise;
        case Number n -> n.longValue();
        case String s -> Long.parseLong(s);
        default -> throw wrong(key, value);
      };
    } catch (NumberFormatException e) {
      throw wrong(key, value);
    }
  }

  private static IllegalArgumentException wrong(String key, @Nullable Object value) {
    return new IllegalArgumentException("option " + key + " cannot be " + value);
  }

  boolean readOnly() {
    return bool("readOnly");
  }

  boolean create() {
    return bool("create");
  }

  /// Returns the size of the new image.
  ///
  /// @throws IllegalArgumentException if the option is missing
  long sizeBytes() {
    long bytes = number("size", 0);
    if (bytes < 1) {
      throw new IllegalArgumentException("create needs size, in bytes");
    }
    return bytes;
  }

  FormatOptions format() {
    FormatOptions format = FormatOptions.forDevice(sizeBytes());
    int blockBytes = (int) number("blockSize", format.blockBytes());
    return format.withBlockBytes(blockBytes).withJournal(sizeBytes());
  }

  MountOptions mount() {
    MountOptions mount = MountOptions.defaults();
    return mount.withReadOnly(readOnly()).withCacheBytes(number("cacheBytes", mount.cacheBytes()));
  }

  Caller caller() {
    if (given.get("caller") instanceof Caller caller) {
      return caller;
    }
    return new Caller((int) number("user", 0), (int) number("group", 0));
  }

  @Nullable FileTree tree() {
    return (FileTree) given.get("tree");
  }
}
