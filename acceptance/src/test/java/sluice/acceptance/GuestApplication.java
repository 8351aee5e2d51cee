package sluice.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import sluice.testbase.Child;

/// What this build made, for another machine: the launcher with the jars that it starts, and the
/// tests of modules with what they need. Without state; the test's thread calls.
///
/// ```
/// sluice, .sluice/builds/guest/lib/*.jar    the command; a pom.xml and src/main for each module
/// target/*.jar, target/test-classes         tests, in the directories that some look in
/// ```
final class GuestApplication {
  /// The launcher's line of modules.
  private static final Pattern SHIPPED = Pattern.compile("(?m)^SHIPPED=\"([^\"]*)\"");

  private static final List<String> TESTED =
      List.of("sys", "memory", "loop", "http", "nio", "fs", "testkit", "acceptance/suites");

  /// Of the class path of these tests: without the suites of other people and their libraries.
  private static final Pattern NEEDED =
      Pattern.compile(
          "(sluice|junit|opentest4j|apiguardian|assertj|byte-buddy|jspecify|picocli).*");

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private GuestApplication() {}

  /// Writes it as an archive for tar.
  ///
  /// @param directory of its own, made anew
  static void write(Path directory, Path archive) throws IOException, InterruptedException {
    remove(directory);
    Path built = Files.createDirectories(directory.resolve(".sluice/builds/guest/lib"));
    Files.copy(ROOT.resolve("sluice"), directory.resolve("sluice"));
    jars(ROOT.resolve("cli/target/lib"), ".*", built);
    jars(ROOT.resolve("cli/target"), "sluice-cli-[0-9.]*\\.jar", built);
    // The launcher compares the times of sources, of which there are none here.
    Files.createFile(directory.resolve("pom.xml"));
    for (String module : shipped()) {
      Files.createDirectories(directory.resolve(module).resolve("src/main"));
      Files.createFile(directory.resolve(module).resolve("pom.xml"));
    }
    Files.writeString(directory.resolve(".sluice/current"), "guest\n");
    Path libraries = Files.createDirectories(directory.resolve("target"));
    for (String entry : Child.classPath().split(":", -1)) {
      Path path = Path.of(entry);
      if (NEEDED.matcher(path.getFileName().toString()).matches()) {
        Files.copy(path, libraries.resolve(path.getFileName()));
      }
    }
    for (String module : TESTED) {
      copy(
          ROOT.resolve(module).resolve("target/test-classes"),
          directory.resolve("target/test-classes"));
    }
    String[] tar = {"tar", "-C", directory.toString(), "-cf", archive.toString(), "."};
    assertThat(new ProcessBuilder(tar).inheritIO().start().waitFor()).isZero();
  }

  private static String[] shipped() throws IOException {
    Matcher line = SHIPPED.matcher(Files.readString(ROOT.resolve("sluice")));
    assertThat(line.find()).as("the launcher names its modules").isTrue();
    return line.group(1).split(" ", -1);
  }

  private static void jars(Path from, String names, Path to) throws IOException {
    assertThat(from).as("made by the build's phase package").isDirectory();
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.filter(f -> f.getFileName().toString().matches(names)).toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
    assertThat(to).isNotEmptyDirectory();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Path copy = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(path, copy, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }

  private static void remove(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path each, java.io.IOException failure)
              throws IOException {
            Files.delete(each);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
