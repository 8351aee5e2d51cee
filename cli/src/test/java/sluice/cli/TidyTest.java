package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.cli.SourceTree.SourceFile;

/// Checks the whole tree against STYLE.md. Accepted violations are counted per file in
/// `tidy-exceptions.txt`; a count may only be lowered.
@Timeout(600)
final class TidyTest {
  private static final int MEDIAN_LINES = 150;
  private static final int P90_LINES = 400;

  private final SourceTree tree = SourceTree.find();

  @Test
  void filesAndMethodsAreSmallAndDocumented() throws IOException {
    List<SourceFile> files = javaFiles();
    List<String> broken = new ArrayList<>(JavaRules.check(files));
    files.forEach(file -> broken.addAll(TidyRules.size(file)));
    assertThat(withoutExceptions(broken, exceptions())).isEmpty();
  }

  @Test
  void mostFilesAreMuchSmallerThanTheLimit() throws IOException {
    int[] lines =
        tree.files().stream()
            .filter(SourceFile::isJava)
            .filter(SourceFile::isMain)
            .mapToInt(file -> file.lines().size())
            .sorted()
            .toArray();
    assertThat(lines[lines.length / 2]).as("median").isLessThanOrEqualTo(MEDIAN_LINES);
    assertThat(lines[lines.length * 9 / 10]).as("90th percentile").isLessThanOrEqualTo(P90_LINES);
  }

  @Test
  void noFileNamesAMachineARegistryOrUnfinishedWork() throws IOException {
    assertThat(broken(_ -> true, TidyRules::words)).isEmpty();
  }

  @Test
  void onlySysCallsNativeCode() throws IOException {
    assertThat(broken(SourceFile::isJava, TidyRules::downcalls)).isEmpty();
  }

  @Test
  void importsPointDownAndModulesAreNullMarked() throws IOException {
    assertThat(broken(SourceFile::isModuleInfo, TidyRules::moduleInfo)).isEmpty();
  }

  @Test
  void packagesOfAModuleHaveAnOrder() throws IOException {
    Map<String, Set<String>> order = RoomRules.orders(resource("tidy-packages.txt"));
    assertThat(order).hasSizeGreaterThan(5);
    assertThat(RoomRules.order(javaFiles(), order)).isEmpty();
  }

  @Test
  void packagesAreSmallWithoutLargeCirclesAndPlainlyCommented() throws IOException {
    List<SourceFile> files = javaFiles();
    assertThat(files).hasSizeGreaterThan(500);
    assertThat(
            RoomRules.compare(
                RoomRules.excess(files), RoomRules.exceptions(resource("tidy-rooms.txt"))))
        .isEmpty();
  }

  @Test
  void linksOfDocumentsLeadSomewhere() throws IOException {
    assertThat(
            broken(
                file -> file.path().endsWith(".md"), file -> TidyRules.links(file, tree::exists)))
        .isEmpty();
  }

  @Test
  void documentsNameTheThingThatActs() throws IOException {
    assertThat(broken(file -> file.path().endsWith(".md"), DocumentRules::words)).isEmpty();
  }

  @Test
  void tablesOfDesignPagesCanBeRead() throws IOException {
    assertThat(broken(file -> file.path().matches("docs/design/.*\\.md"), DocumentRules::cells))
        .isEmpty();
  }

  @Test
  void everyResultFileIsCitedAndHasItsPlot() throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.list(tree.root().resolve("bench/results"))) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    }
    assertThat(names).hasSizeGreaterThan(20);
    String documents =
        tree.files().stream()
            .filter(file -> file.path().endsWith(".md"))
            .map(SourceFile::text)
            .collect(Collectors.joining());
    assertThat(DocumentRules.results(names, documents)).isEmpty();
  }

  @Test
  void everyDependencyHasALineInTheDecisions() throws IOException {
    String decisions = text("docs/decisions/dependencies.md");
    assertThat(
            broken(
                file -> file.path().endsWith("pom.xml"),
                file -> TidyRules.dependencies(file, decisions)))
        .isEmpty();
  }

  @Test
  void theLauncherKnowsWhatMavenAndJavaKnow() throws IOException {
    String launcher = text("sluice");
    Set<String> modules = new TreeSet<>(all("<module>(\\w+)</module>", text("pom.xml")));
    modules.removeAll(Set.of("testbase", "testkit", "bench", "acceptance", "bom"));
    assertThat(all("(?m)^SHIPPED=\"([^\"]*)\"", launcher))
        .singleElement()
        .satisfies(
            list -> assertThat(new TreeSet<>(Arrays.asList(list.split(" ")))).isEqualTo(modules));
    assertThat(all("(?m)^([a-z| ]+)\\) start \"\\$@\" ;;", launcher))
        .singleElement()
        .satisfies(list ->
            assertThat(new TreeSet<>(Arrays.asList(list.split(" *\\| *"))))
                .containsAll(Commands.commandLine().getSubcommands().keySet()));
  }

  /// Applies a rule to the selected files and returns the violations. There must be some files, or
  /// the rule would check nothing.
  private List<String> broken(Predicate<SourceFile> which, Function<SourceFile, List<String>> rule)
      throws IOException {
    List<SourceFile> files = tree.files().stream().filter(which).toList();
    assertThat(files).hasSizeGreaterThan(5);
    return files.stream().flatMap(file -> rule.apply(file).stream()).toList();
  }

  private String text(String path) throws IOException {
    return tree.files().stream()
        .filter(file -> file.path().equals(path))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no file " + path))
        .text();
  }

  private static List<String> all(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    List<String> groups = new ArrayList<>();
    while (matcher.find()) {
      groups.add(matcher.group(1));
    }
    return groups;
  }

  private List<SourceFile> javaFiles() throws IOException {
    return tree.files().stream().filter(SourceFile::isJava).toList();
  }

  /// Parses the lines of the form `COUNT PATH`.
  private static Map<String, Integer> exceptions() throws IOException {
    Map<String, Integer> exceptions = new LinkedHashMap<>();
    resource("tidy-exceptions.txt").stream()
        .map(line -> line.split(" ", 2))
        .forEach(pair -> exceptions.put(pair[1], Integer.parseInt(pair[0])));
    return exceptions;
  }

  /// Returns the lines of a resource, without comments and blank lines.
  private static List<String> resource(String name) throws IOException {
    try (InputStream in = TidyTest.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    }
  }

  /// Returns the violations beyond the exceptions, and the exceptions that are not needed.
  static List<String> withoutExceptions(List<String> broken, Map<String, Integer> exceptions) {
    Map<String, List<String>> byFile = new LinkedHashMap<>();
    for (String line : broken) {
      String path = line.substring(0, line.indexOf(':'));
      byFile.computeIfAbsent(path, _ -> new ArrayList<>()).add(line);
    }
    List<String> left = new ArrayList<>();
    exceptions.forEach((path, count) -> {
      int found = byFile.getOrDefault(path, List.of()).size();
      if (found < count) {
        left.add(
            "tidy-exceptions.txt: " + path + " breaks " + found + " rules: lower its " + count);
      }
    });
    byFile.forEach((path, lines) -> {
      if (lines.size() > exceptions.getOrDefault(path, 0)) {
        left.addAll(lines);
      }
    });
    return left;
  }
}
