package sluice.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The files of the project as text.
///
/// @param root the directory that contains the launcher
record SourceTree(Path root) {
  private static final Set<String> SKIPPED = Set.of(".git", "results");
  private static final Set<String> BINARY = Set.of("png", "jar", "gz", "br", "zst", "ico", "woff2");

  /// A file of the project.
  ///
  /// @param path the path relative to the root, with slashes
  record SourceFile(String path, String text) {
    List<String> lines() {
      return text.lines().toList();
    }

    /// Returns the first part of the path, which is the Maven module for source files.
    String module() {
      int slash = path.indexOf('/');
      return slash < 0 ? "" : path.substring(0, slash);
    }

    boolean isJava() {
      return path.endsWith(".java");
    }

    boolean isMain() {
      return path.contains("/src/main/");
    }

    boolean isModuleInfo() {
      return path.endsWith("module-info.java");
    }
  }

  static SourceTree find() {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.exists(directory.resolve("sluice")) || !Files.exists(directory.resolve("mvnw"))) {
      directory = directory.getParent();
      if (directory == null) {
        throw new IllegalStateException(
            "not inside the source tree: " + Path.of("").toAbsolutePath());
      }
    }
    return new SourceTree(directory);
  }

  List<SourceFile> files() throws IOException {
    List<PathMatcher> ignored = ignored();
    try (Stream<Path> paths = Files.walk(root)) {
      return paths
          .filter(path -> !isSkipped(root.relativize(path), ignored))
          .filter(Files::isRegularFile)
          .map(this::read)
          .toList();
    }
  }

  boolean exists(String path) {
    return Files.exists(root.resolve(path));
  }

  /// Returns the patterns of ignored files. A developer's tree also contains builds, fuzzing
  /// corpora and logs, which are not part of the project. Each line of `.gitignore` is a name or a
  /// pattern of names.
  private List<PathMatcher> ignored() throws IOException {
    return Files.readAllLines(root.resolve(".gitignore")).stream()
        .map(line -> line.endsWith("/") ? line.substring(0, line.length() - 1) : line)
        .map(name -> root.getFileSystem().getPathMatcher("glob:" + name))
        .toList();
  }

  private static boolean isSkipped(Path relative, List<PathMatcher> ignored) {
    for (Path name : relative) {
      if (SKIPPED.contains(name.toString())
          || ignored.stream().anyMatch(pattern -> pattern.matches(name))) {
        return true;
      }
    }
    String name = relative.getFileName().toString();
    return BINARY.contains(name.substring(name.lastIndexOf('.') + 1));
  }

  private SourceFile read(Path path) {
    try {
      String relative = root.relativize(path).toString().replace('\\', '/');
      return new SourceFile(relative, new String(Files.readAllBytes(path), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
