package sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.bench.cases.Bench;
import sluice.bench.run.Options;
import sluice.testbase.DocumentedCommand;

/// Each `sluice bench` that a page shows exists, with its options, cases and systems.
final class DocumentedBenchesTest {
  @Test
  void benchesCasesAndSystemsExist() throws IOException {
    List<String> wrong = new ArrayList<>();
    int seen = 0;
    for (DocumentedCommand command : DocumentedCommand.below(root())) {
      List<String> words = command.words();
      if (words.getFirst().equals("bench") && words.size() > 1 && !isOther(words.get(1))) {
        seen++;
        String why = whatIsWrong(words.subList(1, words.size()));
        if (!why.isEmpty()) {
          wrong.add(command.place() + ": sluice " + String.join(" ", words) + ": " + why);
        }
      }
    }
    assertThat(seen).isGreaterThan(40);
    assertThat(wrong).isEmpty();
  }

  /// The launcher refuses other names before it builds.
  @Test
  void theLauncherKnowsEachBench() throws IOException {
    String names = String.join(" ", Benches.ALL.stream().map(Bench::name).toList());
    assertThat(Files.readAllLines(root().resolve("sluice"))).contains("BENCHES=\"" + names + "\"");
  }

  /// Words that name no bench: a stand-in, what [BenchMain] has beside the benches.
  private static boolean isOther(String word) {
    return word.startsWith("-") || List.of("NAME", "plot", "demo").contains(word);
  }

  private static String whatIsWrong(List<String> words) {
    try {
      Options options =
          Options.parse(words.stream().filter(word -> !word.matches("…|--help")).toList());
      Benches.named(options.bench()).check(options);
      return "";
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
  }

  private static Path root() {
    Path directory = Path.of("").toAbsolutePath();
    while (directory != null && !Files.exists(directory.resolve("mvnw"))) {
      directory = directory.getParent();
    }
    if (directory == null) {
      throw new IllegalStateException("not inside the source tree");
    }
    return directory;
  }
}
