package sluice.verify;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;

/// Reads class files out of files, directories and jars. Stateless.
///
/// Descriptors of modules and packages, and classes for other versions of Java in a multi-release
/// jar, are left out.
public final class ClassFiles {
  /// No class file is larger: its code alone has at most 64 KiB per method.
  private static final int MAX_BYTES = 32 << 20;

  private ClassFiles() {}

  /// Gives every class file to `to`, with a name for messages.
  ///
  /// @param path a class file, a jar, or a directory of class files
  /// @return how many there were
  /// @throws IOException if the path cannot be read, or a class is larger than 32 MiB
  public static int read(Path path, BiConsumer<String, byte[]> to) throws IOException {
    if (Files.isDirectory(path)) {
      try (Stream<Path> files = Files.walk(path)) {
        List<Path> classes =
            files.filter(file -> isClass(path.relativize(file).toString())).sorted().toList();
        for (Path file : classes) {
          readFile(file, to);
        }
        return classes.size();
      }
    }
    if (path.toString().endsWith(".class")) {
      readFile(path, to);
      return 1;
    }
    return readJar(path, to);
  }

  private static boolean isClass(String name) {
    return name.endsWith(".class")
        && !name.endsWith("module-info.class")
        && !name.endsWith("package-info.class")
        && !name.startsWith("META-INF");
  }

  private static void readFile(Path file, BiConsumer<String, byte[]> to) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      to.accept(file.toString(), bytes(file.toString(), in));
    }
  }

  private static int readJar(Path jar, BiConsumer<String, byte[]> to) throws IOException {
    int count = 0;
    try (ZipInputStream in = new ZipInputStream(Files.newInputStream(jar))) {
      boolean isEmpty = true;
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        isEmpty = false;
        if (isClass(entry.getName())) {
          to.accept(jar + "!" + entry.getName(), bytes(entry.getName(), in));
          count++;
        }
      }
      if (isEmpty) {
        throw new IOException(jar + " is no class file, directory or jar");
      }
    } catch (ZipException | IllegalArgumentException e) {
      throw new IOException(jar + " is a damaged jar: " + e.getMessage(), e);
    }
    return count;
  }

  private static byte[] bytes(String name, InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(MAX_BYTES + 1);
    if (bytes.length > MAX_BYTES) {
      throw new IOException(name + " is larger than " + MAX_BYTES + " bytes");
    }
    return bytes;
  }
}
