package sluice.domain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import sluice.domain.translate.Translator;

/// A directory of translated classes, with one [ClassStore] per component, whose name is derived
/// from its content. Any number of threads and processes may use the directory at the same time.
///
/// The name is the SHA-256 hash of the versions of the translator and the JDK and of the jars of
/// the component, so entries are never out of date. The checksums in the file detect damage but not
/// tampering, because a process that may write to the directory can replace any class. Therefore a
/// directory that another user owns or may enter is not used.
final class TranslationCache {
  private static final long MAX_BYTES = 64L << 20;
  private static final String SUFFIX = ".classes";

  /// The mask of the type and permissions in `st_mode`.
  private static final int TYPE_AND_PERMISSIONS = 0170777;

  private static final int DIRECTORY_OF_OWNER = 0040700;
  private static final Object SELF = self();

  private final @Nullable Path file;
  private final ClassStore store;
  private long writtenBytes = MAX_BYTES / 16;

  /// Opens the store of a component.
  ///
  /// @param component the hash of all jars that contain its classes
  TranslationCache(Path directory, byte[] component) {
    file =
        usable(directory)
            ? directory.resolve(HexFormat.of().formatHex(key(component)) + SUFFIX)
            : null;
    store = file == null ? ClassStore.EMPTY : ClassStore.of(file);
  }

  /// Returns the id of this process's user, or -1 if it is unknown.
  private static Object self() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    } catch (IOException | UnsupportedOperationException e) {
      return -1;
    }
  }

  private static boolean usable(Path directory) {
    try {
      if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
        Path parent = directory.toAbsolutePath().getParent();
        if (parent != null) {
          Files.createDirectories(parent);
        }
        try {
          Files.createDirectory(
              directory,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
          // Another process has created it in the meantime; it is checked below like any other
          // directory.
        }
      }
      // The numeric user id is read, because each lookup of a user name reads files.
      Map<String, Object> found =
          Files.readAttributes(directory, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
      return found.get("mode") instanceof Integer mode
          && (mode & TYPE_AND_PERMISSIONS) == DIRECTORY_OF_OWNER
          && SELF.equals(found.get("uid"));
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /// Returns true if the directory is used, which requires that it belongs to this user and that no
  /// other user may enter it.
  boolean isUsed() {
    return file != null;
  }

  /// Returns the stored translation of a class, or null if there is none.
  byte @Nullable [] find(String internalName) {
    return file == null ? null : store.find(file, internalName);
  }

  private static byte[] key(byte[] component) {
    MessageDigest digest = sha256();
    String versions = Translator.VERSION + " " + Runtime.version() + "\n";
    digest.update(versions.getBytes(StandardCharsets.UTF_8));
    digest.update(component);
    return digest.digest();
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  /// Stores a translation.
  void keep(String internalName, byte[] translated) {
    if (file == null) {
      return;
    }
    try {
      ClassStore.add(file, internalName, translated);
      makeRoom(file, translated.length);
    } catch (IOException e) {
      // The disk is full or the directory was deleted, so the class is used but not stored.
    }
  }

  /// Deletes the oldest files if the total size exceeds 64 MB. The directory is checked once per 4
  /// MB written.
  private synchronized void makeRoom(Path written, int bytes) throws IOException {
    writtenBytes += bytes;
    Path directory = written.getParent();
    if (directory == null || writtenBytes < MAX_BYTES / 16) {
      return;
    }
    writtenBytes = 0;
    trim(directory, MAX_BYTES);
  }

  static void trim(Path directory, long maxBytes) throws IOException {
    record Entry(Path file, long size, FileTime time) {}
    List<Entry> entries = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        entries.add(new Entry(file, Files.size(file), Files.getLastModifiedTime(file)));
      }
    }
    long total = entries.stream().mapToLong(Entry::size).sum();
    entries.sort(Comparator.comparing(Entry::time));
    for (Entry entry : entries) {
      if (total <= maxBytes) {
        return;
      }
      Files.deleteIfExists(entry.file());
      total -= entry.size();
    }
  }
}
