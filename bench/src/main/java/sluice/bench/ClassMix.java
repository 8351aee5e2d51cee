package sluice.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/// The files of SPECweb99 and their popularity: directories of four classes of nine files.
/// Directories are popular by Zipf's law, classes have fixed shares, and within a class Zipf's law
/// holds in an order that begins in the middle. The directories of a class lie below one path, so
/// that a server can be told how to send large files. Stateless.
final class ClassMix {
  static final int CLASSES = 4;
  static final int FILES = 9;

  /// The number of directories; 5 MB each.
  static final int DIRECTORIES = 10;

  private static final double[] SHARES = {0.35, 0.50, 0.14, 0.01};

  /// The numbers of a class's files, the most popular one first.
  private static final int[] ORDER = {5, 4, 6, 3, 7, 2, 8, 9, 1};

  private static final int KILOBYTE = 1024;

  private ClassMix() {}

  /// A file and its share of all requests for files.
  record Sized(String path, int bytes, double share) {}

  interface Visitor {
    void file(Sized file) throws IOException;
  }

  /// Calls the visitor once for each file.
  static void forEach(Visitor visitor) throws IOException {
    double directories = harmonic(DIRECTORIES);
    double files = harmonic(FILES);
    for (int directory = 0; directory < DIRECTORIES; directory++) {
      for (int sizeClass = 0; sizeClass < CLASSES; sizeClass++) {
        for (int rank = 0; rank < FILES; rank++) {
          int number = ORDER[rank];
          double share = SHARES[sizeClass] / ((directory + 1) * directories) / ((rank + 1) * files);
          String path = "class%d/dir%05d/%d".formatted(sizeClass, directory, number);
          visitor.file(new Sized(path, bytes(sizeClass, number), share));
        }
      }
    }
  }

  /// Returns the size of a file: 102, 204 … 921 bytes, and in each class ten times that of the
  /// class before.
  static int bytes(int sizeClass, int number) {
    int tenths = number * KILOBYTE;
    for (int i = 0; i < sizeClass; i++) {
      tenths *= 10;
    }
    return tenths / 10;
  }

  private static double harmonic(int count) {
    double sum = 0;
    for (int i = 1; i <= count; i++) {
      sum += 1.0 / i;
    }
    return sum;
  }

  /// Creates the missing files.
  static Path write(Path root) throws IOException {
    forEach(file -> {
      Path made = root.resolve(file.path);
      if (Files.exists(made) && Files.size(made) == file.bytes) {
        return;
      }
      Path parent = made.getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      byte[] content = new byte[file.bytes];
      Random random = new Random(file.path.hashCode());
      for (int i = 0; i < content.length; i++) {
        content[i] = (byte) (' ' + random.nextInt(95));
      }
      Files.write(made, content);
    });
    return root;
  }
}
