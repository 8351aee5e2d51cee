package sluice.domain;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import sluice.domain.translate.ClassSource;
import sluice.domain.translate.Translator;

/// Translated classes in a directory, each in a file named by the content it was made of. Any
/// thread and process may use the directory at a time.
///
/// The name is the SHA-256 of the translator's version, the JDK's, the jars of the component (what
/// is redirected depends on the classes that a class names) and the class, so nothing is out of
/// date. A file begins with the SHA-256 of the rest: a damaged one is deleted and made again. The
/// check finds damage, not malice: a process that may write the directory can replace any class, so
/// a directory that another user owns or may enter is not used.
final class TranslationCache {
  private static final int HASH_BYTES = 32;
  private static final long MAX_BYTES = 64L << 20;
  private static final String SUFFIX = ".translated";

  private final @Nullable Path directory;
  private final byte[] component;
  private long writtenBytes = MAX_BYTES / 16;

  /// @param component the hash of all jars that the classes are in
  TranslationCache(Path directory, byte[] component) {
    this.component = component.clone();
    this.directory = usable(directory) ? directory : null;
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
          // Another process made it meanwhile; it is looked at below like any other.
        }
      }
      PosixFileAttributes attributes =
          Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      String permissions = PosixFilePermissions.toString(attributes.permissions());
      Path self = Path.of("/proc/self");
      return attributes.isDirectory()
          && permissions.equals("rwx------")
          && attributes.owner().equals(Files.getOwner(self));
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /// Whether the directory is used: it is the user's own, and no other user may enter it.
  boolean isUsed() {
    return directory != null;
  }

  /// The translation of a class, from the directory or made now.
  byte[] get(byte[] bytes, ClassSource source, Translator translator) {
    if (directory == null) {
      return translator.translate(bytes, source);
    }
    Path file = directory.resolve(HexFormat.of().formatHex(key(bytes)) + SUFFIX);
    byte[] known = read(file);
    if (known != null) {
      return known;
    }
    byte[] made = translator.translate(bytes, source);
    write(file, made);
    return made;
  }

  private byte[] key(byte[] bytes) {
    MessageDigest digest = sha256();
    String versions = Translator.VERSION + " " + Runtime.version() + "\n";
    digest.update(versions.getBytes(StandardCharsets.UTF_8));
    digest.update(component);
    digest.update(bytes);
    return digest.digest();
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static byte @Nullable [] read(Path file) {
    try {
      byte[] all = Files.readAllBytes(file);
      if (all.length > HASH_BYTES) {
        byte[] content = Arrays.copyOfRange(all, HASH_BYTES, all.length);
        if (MessageDigest.isEqual(Arrays.copyOf(all, HASH_BYTES), sha256().digest(content))) {
          return content;
        }
      }
      Files.deleteIfExists(file);
      return null;
    } catch (IOException e) {
      return null;
    }
  }

  private void write(Path file, byte[] content) {
    try {
      Path temporary = Files.createTempFile(directory, "new", ".part");
      try {
        ByteBuffer all = ByteBuffer.allocate(HASH_BYTES + content.length);
        all.put(sha256().digest(content)).put(content);
        Files.write(temporary, all.array());
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(temporary);
      }
      makeRoom(content.length);
    } catch (AtomicMoveNotSupportedException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      // A full disk or a deleted directory: the class was translated, and is not kept.
    }
  }

  /// Deletes the oldest files when there are more than 64 MB; looks at the directory once per 4 MB.
  private synchronized void makeRoom(int bytes) throws IOException {
    writtenBytes += bytes;
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
