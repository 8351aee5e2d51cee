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

/// Reads class files out of files, directories and jars: those that a class loader finds, by the
/// directory of a jar and not by the order of its bytes, and of a multi-release jar those for the
/// running version of Java. Stateless.
///
/// Descriptors of modules and packages are left out, and files whose path is not the name of their
/// class, which no loader finds. Where a path is longer or shorter than the name, as in an archive
/// of a web application, the file comes after those whose path is the name.
public final class ClassFiles {
  /// No class file is larger: its code alone has at most 64 KiB per method.
  private static final int MAX_BYTES = 32 << 20;

  private static final String SUFFIX = ".class";
  private static final String VERSIONS = "META-INF/versions/";

  private ClassFiles() {}

  /// A class file whose path and name differ in their length.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Misplaced(String origin, byte[] bytes) {}

  /// Gives every class file to `to`, with a name for messages.
  ///
  /// @param path a class file, a jar, or a directory of class files
  /// @return how many there were
  /// @throws IOException if the path cannot be read, or a class is larger than 32 MiB
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

  /// One reading of a directory or jar.
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

    /// The names for which a loader finds a class. A name with a slash at its end is found too.
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
        // It is broken, which its reader says.
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
