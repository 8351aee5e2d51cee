package sluice.domain;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/// The jars and directories from which a domain loads its classes. Any thread may call. After
/// [#close], no classes or resources are found.
///
/// Jars that this process has opened before and that have not changed since are only opened when
/// they are read. If all classes of a domain are in the translation cache, none is opened.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | opened, closed | any | under the lock | under the lock |
/// | HASHES | any | concurrent map | concurrent map |
final class ClassPath implements Closeable {
  private static final int MOST_HASHES = 4096;

  /// The SHA-256 hashes of jars that could be opened.
  private static final Map<Version, byte[]> HASHES = new ConcurrentHashMap<>();

  /// Identifies the content of a file at one time, by path, inode, size and modification time.
  private record Version(Path file, @Nullable Object key, long bytes, FileTime changed) {
    static Version of(Path file) throws IOException {
      BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
      return new Version(file.toAbsolutePath(), now.fileKey(), now.size(), now.lastModifiedTime());
    }

    // These methods are written by hand, because the generated methods of a record are linked at
    // the first call, which adds 10 ms to startup.

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Version version
          && file.equals(version.file)
          && Objects.equals(key, version.key)
          && bytes == version.bytes
          && changed.equals(version.changed);
    }

    @Override
    public int hashCode() {
      return file.hashCode() * 31 + changed.hashCode();
    }
  }

  private final List<Path> directories = new ArrayList<>();
  private final List<Path> jars = new ArrayList<>();
  private @Nullable List<JarFile> opened;
  private boolean closed;

  ClassPath(List<Path> parts) throws IOException {
    boolean isKnown = true;
    for (Path part : parts) {
      if (Files.isDirectory(part)) {
        directories.add(part);
      } else if (Files.exists(part)) {
        jars.add(part);
        isKnown &= HASHES.containsKey(Version.of(part));
      } else {
        throw new NoSuchFileException(part.toString(), null, "no such jar or directory");
      }
    }
    if (!isKnown) {
      opened();
    }
  }

  /// Returns the open jars, which are opened by the first call. The list is empty after the path
  /// has been closed.
  private synchronized List<JarFile> opened() throws IOException {
    List<JarFile> known = opened;
    if (known == null) {
      known = new ArrayList<>();
      try {
        for (Path jar : closed ? List.<Path>of() : jars) {
          known.add(open(jar));
        }
      } catch (IOException e) {
        for (JarFile jar : known) {
          jar.close();
        }
        throw e;
      }
      opened = known;
    }
    return known;
  }

  private static JarFile open(Path jar) throws IOException {
    try {
      return new JarFile(jar.toFile(), true, ZipFile.OPEN_READ, Runtime.version());
    } catch (ZipException e) {
      ZipException named =
          new ZipException(jar + " is no jar: " + e.getMessage() + ". Fix: name a jar");
      named.initCause(e);
      throw named;
    }
  }

  /// Reads a resource. Returns null if the resource does not exist or cannot be read.
  byte @Nullable [] read(String name) {
    try {
      for (JarFile jar : opened()) {
        JarEntry entry = jar.getJarEntry(name);
        if (entry != null) {
          try (InputStream in = jar.getInputStream(entry)) {
            return in.readAllBytes();
          }
        }
      }
      for (Path directory : directories) {
        Path file = directory.resolve(name).normalize();
        if (file.startsWith(directory.normalize()) && Files.isRegularFile(file)) {
          return Files.readAllBytes(file);
        }
      }
    } catch (IOException | IllegalStateException e) {
      // A closed or damaged jar is treated as empty.
      return null;
    }
    return null;
  }

  /// Returns the URLs of all resources with the given name, in the order of the path.
  List<URL> find(String name) {
    List<URL> found = new ArrayList<>();
    try {
      for (JarFile jar : opened()) {
        if (jar.getJarEntry(name) != null) {
          URI file = Path.of(jar.getName()).toUri();
          found.add(URI.create("jar:" + file + "!/" + name.replace(" ", "%20")).toURL());
        }
      }
      for (Path directory : directories) {
        Path file = directory.resolve(name).normalize();
        if (file.startsWith(directory.normalize()) && Files.exists(file)) {
          found.add(file.toUri().toURL());
        }
      }
    } catch (IOException | IllegalStateException | IllegalArgumentException e) {
      return found;
    }
    return found;
  }

  /// Returns the main class named by the manifest of the first jar, or null if there is none.
  @Nullable String mainClass() throws IOException {
    for (JarFile jar : opened()) {
      if (jar.getManifest() != null) {
        return jar.getManifest().getMainAttributes().getValue("Main-Class");
      }
    }
    return null;
  }

  /// Returns the SHA-256 hash of all jars, or null if the path contains directories, because their
  /// classes may change.
  byte @Nullable [] hash() throws IOException {
    if (!directories.isEmpty()) {
      return null;
    }
    MessageDigest digest = TranslationCache.sha256();
    for (Path jar : jars) {
      digest.update(hash(jar));
    }
    return digest.digest();
  }

  private static byte[] hash(Path jar) throws IOException {
    Version version = Version.of(jar);
    byte[] known = HASHES.get(version);
    if (known != null) {
      return known;
    }
    MessageDigest digest = TranslationCache.sha256();
    byte[] buffer = new byte[1 << 16];
    try (InputStream in = Files.newInputStream(jar)) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        digest.update(buffer, 0, count);
      }
    }
    byte[] found = digest.digest();
    if (HASHES.size() >= MOST_HASHES) {
      HASHES.clear();
    }
    if (version.equals(Version.of(jar))) {
      HASHES.put(version, found);
    }
    return found;
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    if (opened != null) {
      for (JarFile jar : opened) {
        jar.close();
      }
    }
  }
}
