package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.testbase.Child;

/// Checks that README shows the actual output of its commands, and that the index of the documents
/// links to every page. The servers of README have their own tests: [ServePluginTest] has its
/// looping plug-in.
@Timeout(120)
final class ReadmeTest {
  private static final Pattern CONSOLE = Pattern.compile("(?ms)^```console\n(.*?)^```$");

  private final Path root = SourceTree.find().root();
  @TempDir Path directory = Path.of(".");

  @Test
  void filesSurviveACrashAsItSays() throws Exception {
    String block =
        CONSOLE
            .matcher(Files.readString(root.resolve("README.md")))
            .results()
            .map(each -> each.group(1))
            .filter(text -> text.contains("fs mkfs"))
            .findFirst()
            .orElseThrow();
    Path launcher = directory.resolve("sluice");
    String java =
        SluiceProcess.command().stream()
            .map(word -> "'" + word + "'")
            .collect(Collectors.joining(" "));
    Files.writeString(launcher, "#!/bin/sh\nexec " + java + " \"$@\"\n");
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.copy(root.resolve("README.md"), directory.resolve("README.md"));
    List<String> expected = new ArrayList<>();
    StringBuilder script = new StringBuilder();
    for (String line : block.lines().toList()) {
      if (line.startsWith("$ ")) {
        script.append(line.substring(2)).append('\n');
      } else if (!line.equals("Killed")) {
        expected.add(masked(line));
      }
    }
    ProcessBuilder shell = new ProcessBuilder("sh", "-c", script.toString());
    shell.directory(directory.toFile());
    String output = Child.run(shell).output();
    assertThat(
            output
                .lines()
                .filter(line -> !line.matches("(….*|.*Killed.*|sluice: left out .*)"))
                .map(ReadmeTest::masked))
        .as(output)
        .containsExactlyElementsOf(expected);
  }

  /// Masks the parts that may differ. Progress is only shown on slow machines. The progress of a
  /// copy when it is killed varies: it may have reached the image itself, and there may be nothing
  /// to replay.
  private static String masked(String line) {
    return line.replaceAll("uuid \\S+", "uuid").replaceAll("clean( after replay)?, .*", "clean");
  }

  @Test
  void theIndexLeadsToEveryPage() throws IOException {
    String index = Files.readString(root.resolve("docs/README.md"));
    List<String> missing = new ArrayList<>();
    try (Stream<Path> pages = Files.list(root.resolve("docs"))) {
      pages
          .map(page -> page.getFileName().toString())
          .filter(name -> name.endsWith(".md") && !name.equals("README.md"))
          .filter(name -> !index.contains("(" + name))
          .forEach(missing::add);
    }
    assertThat(missing).isEmpty();
    assertThat(Pattern.compile("(?m)^## .*").matcher(index).results().count()).isEqualTo(4);
  }

  /// Checks that the first screen needs no variable, no mount point and no term of the project.
  @Test
  void theFirstScreenIsPlain() throws IOException {
    String first = Files.readString(root.resolve("README.md")).split("\n## ", -1)[0];
    assertThat(first)
        .doesNotContain("MVNW", "/mnt", "sudo", "interruptlet", "isocket", "portal", "`jdk`");
    assertThat(first.lines().skip(2).findFirst().orElseThrow().length()).isLessThan(160);
  }
}
