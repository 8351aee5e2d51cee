package sluice.domain;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/// The jars and directories of a domain. Any thread may call; after [#close], nothing is found.
final class ClassPath implements Closeable {
  private final List<Path> directories = new ArrayList<>();
  private final List<JarFile> jars = new ArrayList<>();

  ClassPath(List<Path> parts) throws IOException {
    try {
      for (Path part : parts) {
        if (Files.isDirectory(part)) {
          directories.add(part);
        } else if (Files.exists(part)) {
          jars.add(new JarFile(part.toFile(), true, ZipFile.OPEN_READ, Runtime.version()));
        } else {
          throw new NoSuchFileException(part.toString(), null, "no such jar or directory");
        }
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /// The bytes of a resource, or null.
  byte @Nullable [] read(String name) {
    try {
      for (JarFile jar : jars) {
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
      // A jar that was closed or is damaged has nothing.
      return null;
    }
    return null;
  }

  /// Where a resource is, in the order of the path.
  List<URL> find(String name) {
    List<URL> found = new ArrayList<>();
    try {
      for (JarFile jar : jars) {
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
    } catch (MalformedURLException | IllegalStateException | IllegalArgumentException e) {
      return found;
    }
    return found;
  }

  /// The main class that the first jar names, or null.
  @Nullable String mainClass() throws IOException {
    for (JarFile jar : jars) {
      if (jar.getManifest() != null) {
        return jar.getManifest().getMainAttributes().getValue("Main-Class");
      }
    }
    return null;
  }

  /// The SHA-256 of all jars, or null if there are directories: their classes may change.
  byte @Nullable [] hash() throws IOException {
    if (!directories.isEmpty()) {
      return null;
    }
    MessageDigest digest = TranslationCache.sha256();
    byte[] buffer = new byte[1 << 16];
    for (JarFile jar : jars) {
      try (InputStream in = Files.newInputStream(Path.of(jar.getName()))) {
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
          digest.update(buffer, 0, count);
        }
      }
    }
    return digest.digest();
  }

  @Override
  public void close() throws IOException {
    for (JarFile jar : jars) {
      jar.close();
    }
  }
}
