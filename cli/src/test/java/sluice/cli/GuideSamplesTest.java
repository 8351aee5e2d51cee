package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Compiles the Java samples of the guides. Each file in `guides` is a class around some of them:
/// `//: PAGE N` stands for the N-th Java block of the page, and `N.M` for the M-th part of that
/// block; empty lines separate the parts. A test in module `fs` compiles the samples of
/// `docs/storage.md`.
@Timeout(300)
final class GuideSamplesTest {
  private static final Pattern PLACE = Pattern.compile("(?m)^ *//: (\\S+) (\\d+)(?:\\.(\\d+))?$");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\n(.*?)^```$");
  private static final String README = "README.md";
  private static final String ELSEWHERE = "docs/storage.md";

  @TempDir Path directory = Path.of(".");
  private final Path root = SourceTree.find().root();

  @Test
  void samplesCompile() throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "javac").toString());
    command.addAll(List.of("-d", directory.resolve("out").toString(), "-cp", classPath()));
    Set<String> used = new TreeSet<>();
    for (Path sample : samples()) {
      Path source = directory.resolve(sample.getFileName().toString().replace(".txt", ".java"));
      command.add(Files.writeString(source, filled(Files.readString(sample), used)).toString());
    }
    Path said = directory.resolve("javac.txt");
    Process javac =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    assertThat(javac.waitFor()).as(Files.readString(said)).isZero();
    assertThat(used).as("blocks of Java that are compiled").isEqualTo(blocksOfGuides());
  }

  private List<Path> samples() throws IOException {
    try (Stream<Path> files =
        Files.list(root.resolve("cli/src/test/resources/sluice/cli/guides"))) {
      return files.sorted().toList();
    }
  }

  /// Returns a class path with the classes of all modules, including `nio`, which this module does
  /// not require.
  private String classPath() {
    return System.getProperty("jdk.module.path", "")
        + ":"
        + System.getProperty("java.class.path", "")
        + ":"
        + root.resolve("nio/target/classes");
  }

  private String filled(String sample, Set<String> used) throws IOException {
    Matcher place = PLACE.matcher(sample);
    StringBuilder text = new StringBuilder();
    while (place.find()) {
      String block = blocks(place.group(1)).get(Integer.parseInt(place.group(2)) - 1);
      String part = place.group(3);
      String code = part == null ? block : block.split("\n\n", -1)[Integer.parseInt(part) - 1];
      used.add(place.group(1) + " " + place.group(2));
      place.appendReplacement(
          text,
          Matcher.quoteReplacement(
              code.replace(", …)", ", System.out::println)").replace("…", "")));
    }
    return place.appendTail(text).toString();
  }

  private List<String> blocks(String page) throws IOException {
    List<String> found = new ArrayList<>();
    Matcher block = BLOCK.matcher(Files.readString(root.resolve(page)));
    while (block.find()) {
      found.add(block.group(1));
    }
    return found;
  }

  private Set<String> blocksOfGuides() throws IOException {
    Set<String> all = new TreeSet<>();
    for (int i = 1; i <= blocks(README).size(); i++) {
      all.add(README + " " + i);
    }
    try (Stream<Path> files = Files.list(root.resolve("docs"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".md")).toList()) {
        String page = root.relativize(file).toString();
        int count = page.equals(ELSEWHERE) ? 0 : blocks(page).size();
        for (int i = 1; i <= count; i++) {
          all.add(page + " " + i);
        }
      }
    }
    return all;
  }
}
