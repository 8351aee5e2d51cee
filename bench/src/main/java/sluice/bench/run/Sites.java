package sluice.bench.run;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/// The files that HTTP benches serve, made once and kept in the workspace's cache. Used by the
/// harness's main thread.
public final class Sites {
  /// The documentation: over ten thousand HTML files.
  static final String DOCUMENTATION_PACKAGE = "openjdk-17-doc";

  private static final Set<String> COMPRESSIBLE = Set.of("html", "css", "js", "svg", "txt", "md");
  private static final int COMPRESS_FROM_BYTES = 256;

  private final Path cache;
  private final @Nullable Path chosen;

  /// @param chosen a folder to use as the documentation site; null for the Debian package
  public Sites(Path cache, @Nullable Path chosen) {
    this.cache = cache;
    this.chosen = chosen;
  }

  /// Returns the folder that is kept from run to run.
  public Path cache() {
    return cache;
  }

  /// Returns a folder with `1k.txt`, 1024 bytes of text.
  public Path small() throws IOException {
    return generated("1k.txt", 1 << 10);
  }

  /// Returns a folder with `1m.bin`, 1 MiB.
  public Path large() throws IOException {
    return generated("1m.bin", 1 << 20);
  }

  /// Returns a folder with `100m.bin`, 100 MiB.
  public Path huge() throws IOException {
    return generated("100m.bin", 100 << 20);
  }

  private Path generated(String name, int bytes) throws IOException {
    Path folder = Files.createDirectories(cache.resolve("site-" + name));
    Path file = folder.resolve(name);
    if (Files.exists(file) && Files.size(file) == bytes) {
      return folder;
    }
    Random random = new Random(bytes);
    byte[] block = new byte[Math.min(bytes, 1 << 20)];
    Path made = folder.resolve(name + ".new");
    try (OutputStream out = Files.newOutputStream(made)) {
      for (int written = 0; written < bytes; written += block.length) {
        for (int i = 0; i < block.length; i++) {
          block[i] = (byte) (' ' + random.nextInt(95));
        }
        out.write(block);
      }
    }
    Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    return folder;
  }

  /// Returns a documentation site with `.gz` files beside compressible ones.
  ///
  /// @throws IOException if the Debian package is not available, with an alternative
  public Path documentation() throws IOException {
    if (chosen != null) {
      return chosen;
    }
    Path site = cache.resolve("site-" + DOCUMENTATION_PACKAGE);
    if (Files.isDirectory(site)) {
      return site;
    }
    Path work = Files.createDirectories(cache.resolve("unpack"));
    System.err.println("fetching " + DOCUMENTATION_PACKAGE + " …");
    try {
      String fetch =
          "cd \"$0\" && rm -rf ./* && apt-get -qq download \"$1\" && dpkg-deb -x ./*.deb x";
      Commands.run(600, List.of("sh", "-c", fetch, work.toString(), DOCUMENTATION_PACKAGE));
    } catch (IOException e) {
      throw new IOException(
          "no documentation site. Why: apt-get or dpkg-deb failed to fetch the Debian package "
              + DOCUMENTATION_PACKAGE
              + ". Fix: give a folder of your own with --site DIR\n"
              + e.getMessage(),
          e);
    }
    Path made = cache.resolve("site.new");
    copy(work.resolve("x").resolve("usr").resolve("share").resolve("doc"), made);
    Files.move(made, site, StandardCopyOption.ATOMIC_MOVE);
    Commands.run(60, List.of("rm", "-rf", work.toString()));
    return site;
  }

  private static void copy(Path from, Path to) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(from)) {
      files = all.filter(f -> Files.isRegularFile(f, LinkOption.NOFOLLOW_LINKS)).toList();
    }
    int done = 0;
    for (Path file : files) {
      Path target = to.resolve(from.relativize(file).toString());
      Path parent = target.getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      Files.copy(
          file, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
      if (COMPRESSIBLE.contains(extension(file)) && Files.size(file) >= COMPRESS_FROM_BYTES) {
        compress(target);
      }
      if (++done % 2000 == 0) {
        System.err.println("compressing: " + done + " of " + files.size() + " files");
      }
    }
  }

  private static void compress(Path file) throws IOException {
    Path compressed = Path.of(file + ".gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(compressed), 64 << 10)) {
      Files.copy(file, out);
    }
    FileTime modified = Files.getLastModifiedTime(file);
    Files.setLastModifiedTime(compressed, modified);
  }

  private static String extension(Path file) {
    String name = file.toString();
    return name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
  }

  /// Returns the files of a site as URL paths in the order of their popularity: a seeded shuffle.
  /// Only names that need no escaping, and not the compressed copies.
  public static List<String> byPopularity(Path root, long seed) throws IOException {
    List<String> paths = new ArrayList<>();
    try (Stream<Path> all = Files.walk(root)) {
      all.filter(f -> Files.isRegularFile(f, LinkOption.NOFOLLOW_LINKS))
          .map(f -> "/" + root.relativize(f))
          .filter(p -> p.matches("[A-Za-z0-9/._-]+") && !p.endsWith(".gz"))
          .sorted()
          .forEach(paths::add);
    }
    Collections.shuffle(paths, new Random(seed));
    return paths;
  }
}
