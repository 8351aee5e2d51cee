package sluice.verify;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/// Reads class files from files, directories and jars. It finds the same classes as a class loader,
/// because it uses the central directory of a jar and, in a multi-release jar, the version for the
/// running Java. This class is stateless.
///
/// Module and package descriptors are ignored. Files whose path does not match the class name are
/// also ignored, because they cannot be found by a class loader. If the path of a file is longer or
/// shorter than the class name, as in a web archive, the file is read after all other files.
public final class ClassFiles {
  /// The maximum size of a class file. Actual class files are smaller, because the code of a method
  /// is limited to 64 KiB.
  private static final int MAX_BYTES = 32 << 20;

  private static final String SUFFIX = ".class";
  private static final String VERSIONS = "META-INF/versions/";

  private ClassFiles() {}

  /// A class file whose path is longer or shorter than its class name.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Misplaced(String origin, byte[] bytes) {}

  /// Passes each class file and its name for messages to a consumer.
  ///
  /// @param path a class file, a jar, or a directory of class files
  /// @param to the consumer, which receives the name and the content of each class file
  /// @return the number of class files
  /// @throws IOException if the path cannot be read, or a class file is larger than 32 MiB
  public static int read(Path path, BiConsumer<String, byte[]> to) throws IOException {
    if (Files.isDirectory(path)) {
      return new Reader(to).directory(path);
    }
    if (path.toString().endsWith(SUFFIX)) {
      try (InputStream in = Files.newInputStream(path)) {
        to.accept(path.toString(), bytes(path.toString(), in));
      }
      return 1;
    }
    return new Reader(to).jar(path);
  }

  private static byte[] bytes(String name, InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(MAX_BYTES + 1);
    if (bytes.length > MAX_BYTES) {
      throw new IOException(name + " is larger than " + MAX_BYTES + " bytes");
    }
    return bytes;
  }

  /// Reads one directory or jar.
  private static final class Reader {
    private final BiConsumer<String, byte[]> to;
    private final List<Misplaced> misplaced = new ArrayList<>();
    private int count;

    Reader(BiConsumer<String, byte[]> to) {
      this.to = to;
    }

    int directory(Path directory) throws IOException {
      try (Stream<Path> files = Files.walk(directory, FileVisitOption.FOLLOW_LINKS)) {
        List<Path> classes =
            files
                .filter(file -> file.toString().endsWith(SUFFIX) && Files.isRegularFile(file))
                .sorted()
                .toList();
        for (Path file : classes) {
          try (InputStream in = Files.newInputStream(file)) {
            take(directory.relativize(file).toString(), file.toString(), in);
          }
        }
      } catch (UncheckedIOException e) {
        throw new IOException(directory + " cannot be read: " + e.getMessage(), e);
      }
      return finish();
    }

    int jar(Path path) throws IOException {
      try (JarFile jar = new JarFile(path.toFile(), false, ZipFile.OPEN_READ, Runtime.version())) {
        for (String name : names(jar)) {
          JarEntry entry = jar.getJarEntry(name);
          if (entry != null) {
            try (InputStream in = jar.getInputStream(entry)) {
              take(name, path + "!" + name, in);
            }
          }
        }
      } catch (ZipException e) {
        throw new IOException(
            path + " is no class file, directory or jar, or damaged: " + e.getMessage(), e);
      }
      return finish();
    }

    /// Returns the names of the entries in which a class loader finds classes. A class loader also
    /// finds a name that ends with a slash.
    private static Set<String> names(JarFile jar) {
      Set<String> names = new LinkedHashSet<>();
      jar.stream()
          .map(entry -> entry.getName().replaceFirst("/+$", ""))
          .filter(name -> name.endsWith(SUFFIX))
          .forEach(name -> {
            names.add(name);
            if (name.startsWith(VERSIONS)) {
              names.add(name.substring(name.indexOf('/', VERSIONS.length()) + 1));
            }
          });
      return names;
    }

    private void take(String path, String origin, InputStream in) throws IOException {
      byte[] bytes = bytes(origin, in);
      String name = null;
      try {
        ClassModel model = ClassFile.of().parse(bytes);
        if (model.isModuleInfo() || isPackageDescriptor(path, model)) {
          return;
        }
        name = model.thisClass().asInternalName() + SUFFIX;
      } catch (RuntimeException e) {
        // The file is not a class file, which is reported by the consumer.
      }
      if (name == null || name.equals(path)) {
        to.accept(origin, bytes);
        count++;
      } else if (path.endsWith("/" + name) || name.endsWith("/" + path)) {
        misplaced.add(new Misplaced(origin, bytes));
      }
    }

    private static boolean isPackageDescriptor(String path, ClassModel model) {
      return path.endsWith("package-info" + SUFFIX) && model.methods().isEmpty();
    }

    private int finish() {
      misplaced.forEach(each -> to.accept(each.origin(), each.bytes()));
      return count + misplaced.size();
    }
  }
}
