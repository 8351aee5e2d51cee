package sluice.testbase.report;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// Chooses what `sluice test --quick` runs: test classes of the modules that have changed since the
/// last green run, then of the modules that depend on them, in the time that is given. A command of
/// one thread, started by the launcher from the compiled classes of this module.
///
/// How long a class takes is what its last report says, or one second without a report; a class
/// that was skipped as a whole is left out. Of the modules that changed, as of the others, edited
/// tests and tests that failed come first, then contracts, then the shortest, so that a run has as
/// many of them as it can. Classes that do not fit are named.
public final class QuickTests {
  private static final double UNKNOWN_SECONDS = 1;
  private static final int MOST_NAMED = 4;

  /// Rules that hold for the whole tree, and so for each change.
  private static final String ALWAYS = "sluice.cli.TidyTest";

  private static final String ALWAYS_IN = "cli";

  /// A class that may run.
  ///
  /// @param first whether it was edited, or failed when it ran last
  private record Candidate(String name, double seconds, boolean first) {
    static final Comparator<Candidate> ORDER =
        Comparator.comparing(Candidate::first)
            .thenComparing(Candidate::isContract)
            .reversed()
            .thenComparingDouble(Candidate::seconds)
            .thenComparing(Candidate::name);

    /// One suite over all implementations, of which such a class runs one (STYLE.md, "Names").
    boolean isContract() {
      return name.endsWith("ContractTest");
    }
  }

  /// @param modules to build and test, none when nothing has changed
  /// @param classes to run, in no order
  /// @param told lines for the reader
  record Choice(Set<String> modules, List<String> classes, List<String> told) {}

  private final Path root;
  private final FileTime green;
  private final TestRun before;
  private final SourceModules sources;
  private double secondsLeft;

  private QuickTests(Path root, FileTime green, double seconds) throws IOException {
    this.root = root;
    this.green = green;
    secondsLeft = seconds;
    before = TestRun.read(root, FileTime.fromMillis(0));
    sources = SourceModules.read(root);
  }

  /// `ROOT GREEN SECONDS CLASSES`: the file GREEN is as old as the last green run; CLASSES is
  /// written. Prints the modules on standard output, and nothing there when nothing has changed.
  /// Both are lists separated by commas, as Maven wants them.
  public static void main(String[] args) throws IOException {
    FileTime green = Files.getLastModifiedTime(Path.of(args[1]));
    Choice choice = choose(Path.of(args[0]), green, Double.parseDouble(args[2]));
    Files.writeString(Path.of(args[3]), String.join(",", choice.classes()));
    print(choice, System.out, System.err);
  }

  private static void print(Choice choice, PrintStream out, PrintStream err) {
    choice.told().forEach(line -> err.println("sluice: " + line));
    out.println(String.join(",", choice.modules()));
  }

  /// @param green time of the last green run
  /// @param seconds that the chosen tests may take together
  static Choice choose(Path root, FileTime green, double seconds) throws IOException {
    return new QuickTests(root, green, seconds).choose();
  }

  private Choice choose() throws IOException {
    Set<String> changed = sources.changedSince(green);
    if (SourceModules.isNewer(root.resolve("sluice"), green)) {
      changed.add(ALWAYS_IN); // which has the launcher's tests
    }
    if (changed.isEmpty()) {
      return new Choice(Set.of(), List.of(), List.of());
    }
    Set<String> dependents = sources.dependents(changed);
    Set<String> modules = new LinkedHashSet<>(changed);
    modules.addAll(dependents);
    modules.add(ALWAYS_IN);
    List<String> chosen = new ArrayList<>(List.of(ALWAYS));
    List<Candidate> leftOut = new ArrayList<>();
    take(changed, chosen, leftOut);
    take(dependents, chosen, leftOut);
    List<String> told = new ArrayList<>();
    told.add(
        "changed: "
            + String.join(", ", changed)
            + (dependents.isEmpty() ? "" : "; depending on it: " + String.join(", ", dependents)));
    if (!leftOut.isEmpty()) {
      told.add(leftOut(leftOut));
    }
    return new Choice(modules, chosen, told);
  }

  private void take(Collection<String> modules, List<String> chosen, List<Candidate> leftOut)
      throws IOException {
    Map<String, Double> seconds = before.classSeconds();
    Set<String> failed = before.failedClasses().keySet();
    List<Candidate> candidates = new ArrayList<>();
    for (String module : modules) {
      for (Path source : sources.tests(module)) {
        String name = sources.className(module, source);
        boolean first = failed.contains(name) || SourceModules.isNewer(source, green);
        candidates.add(new Candidate(name, seconds.getOrDefault(name, UNKNOWN_SECONDS), first));
      }
    }
    candidates.removeIf(candidate -> candidate.name().equals(ALWAYS));
    candidates.sort(Candidate.ORDER);
    for (Candidate candidate : candidates) {
      // What was edited runs whatever it takes.
      if (candidate.first() || candidate.seconds() <= secondsLeft) {
        secondsLeft -= candidate.seconds();
        chosen.add(candidate.name());
      } else {
        leftOut.add(candidate);
      }
    }
  }

  private static String leftOut(List<Candidate> classes) {
    String longest =
        classes.stream()
            .sorted(Comparator.comparingDouble(Candidate::seconds).reversed())
            .limit(MOST_NAMED)
            .map(one -> one.name().substring(one.name().lastIndexOf('.') + 1))
            .collect(Collectors.joining(", "));
    double seconds =
        classes.stream().mapToDouble(Candidate::seconds).filter(Double::isFinite).sum();
    return String.format(
        Locale.ROOT,
        "left to the full run: %d classes of %.0f s together (%s%s)",
        classes.size(),
        seconds,
        longest,
        classes.size() > MOST_NAMED ? ", …" : "");
  }
}
