package sluice.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.cli.SourceTree.SourceFile;

/// The rules of STYLE.md that can be checked on plain text. Each takes a file and returns its
/// violations.
final class TidyRules {
  static final int FILE_LINES = 700;
  static final int COLUMNS = 100;

  /// The modules of the project that each module may require. No module may require one above it.
  static final Map<String, Set<String>> IMPORTS =
      Map.ofEntries(
          Map.entry("testbase", Set.of()),
          Map.entry("sys", Set.of()),
          Map.entry("verify", Set.of()),
          Map.entry("memory", Set.of("sys")),
          Map.entry("loop", Set.of("sys", "memory", "verify")),
          Map.entry("net", Set.of("sys", "memory", "loop")),
          Map.entry("fs", Set.of("sys", "memory", "loop")),
          Map.entry("http", Set.of("sys", "memory", "loop")),
          Map.entry("nio", Set.of("sys", "memory", "loop", "http")),
          Map.entry("isocket", Set.of("sys", "memory", "loop")),
          Map.entry("nfs", Set.of("sys", "memory", "loop", "fs")),
          Map.entry("vi", Set.of("sys", "memory", "loop", "net")),
          Map.entry("domain", Set.of("sys", "memory", "loop", "verify")));

  /// The modules that may require all others.
  static final Set<String> UNRESTRICTED = Set.of("cli", "host", "testkit", "bench", "acceptance");

  // Split, so that this file does not break its own rules.
  private static final Pattern MARKERS = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");
  private static final Pattern HOSTS =
      Pattern.compile(
          "(?i)(repo1?\\.mav"
              + "en\\.|mav"
              + "en\\.org/mav|\\.debian\\."
              + "org|pypi\\."
              + "org"
              + "|pythonhosted\\."
              + "org|npmjs\\."
              + "org|crates\\."
              + "io|proxy\\.golang\\."
              + ")");
  private static final Pattern MACHINE_PATHS =
      Pattern.compile("(?<![\\w.])/(work|ro" + "ot)/|/tm" + "p/w/");

  /// Imports, addresses and table rows in comments, which cannot be wrapped.
  private static final Pattern UNBREAKABLE = Pattern.compile("^import |://|^ *///? \\|.*\\|$");

  private static final Pattern DOWNCALLS =
      Pattern.compile("\\b(Linker|SymbolLookup)\\b|\\breinterpret\\s*\\(");
  private static final Pattern REQUIRES =
      Pattern.compile("requires\\s+(?:static\\s+|transitive\\s+)*sluice\\.(\\w+)\\s*;");
  private static final Pattern SKIPPED =
      Pattern.compile(
          "//[^\\n]*|/\\*.*?\\*/|\"\"\".*?\"\"\""
              + "|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\])+'",
          Pattern.DOTALL);
  private static final Pattern LINKS = Pattern.compile("\\[[^\\]\\n]+\\]\\(([^)\\s]+)\\)");
  private static final Pattern ARTIFACTS = Pattern.compile("<artifactId>([^<]+)</artifactId>");
  private static final Pattern BARE_SKIP = Pattern.compile("@Disab" + "led\\b(?!\\s*\\(\\s*\")");

  private TidyRules() {}

  static List<String> size(SourceFile file) {
    List<String> broken = new ArrayList<>();
    List<String> lines = file.lines();
    if (lines.size() > FILE_LINES) {
      broken.add(file.path() + ": " + lines.size() + " lines, at most " + FILE_LINES);
    }
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      int width = line.codePointCount(0, line.length());
      if (width > COLUMNS && !UNBREAKABLE.matcher(line).find()) {
        broken.add(file.path() + ":" + (i + 1) + ": " + width + " columns, at most " + COLUMNS);
      }
    }
    return broken;
  }

  static List<String> words(SourceFile file) {
    List<String> broken = new ArrayList<>();
    find(MARKERS, file, "says work is unfinished", broken);
    find(HOSTS, file, "names the host of a package registry", broken);
    find(MACHINE_PATHS, file, "names a path of one machine", broken);
    if (file.isJava()) {
      find(BARE_SKIP, file, "skips a test without saying what is missing", broken);
    }
    return broken;
  }

  private static void find(Pattern pattern, SourceFile file, String what, List<String> broken) {
    List<String> lines = file.lines();
    for (int i = 0; i < lines.size(); i++) {
      Matcher matcher = pattern.matcher(lines.get(i));
      if (matcher.find()) {
        broken.add(file.path() + ":" + (i + 1) + ": " + what + ": " + matcher.group());
      }
    }
  }

  /// Returns native calls and memory made from addresses outside of `sys`, which alone may do this.
  static List<String> downcalls(SourceFile file) {
    if (file.module().equals("sys")) {
      return List.of();
    }
    List<String> broken = new ArrayList<>();
    SourceFile code = new SourceFile(file.path(), blankComments(file.text()));
    find(DOWNCALLS, code, "only module sys may", broken);
    return broken;
  }

  /// Replaces comments and string literals by spaces, so that line numbers stay the same.
  static String blankComments(String text) {
    return SKIPPED.matcher(text).replaceAll(match -> match.group().replaceAll("[^\\n]", " "));
  }

  /// Returns the lines of comments without the code beside them.
  static List<String> comments(String text) {
    return SKIPPED
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .filter(skipped -> skipped.startsWith("/"))
        .flatMap(String::lines)
        .toList();
  }

  static List<String> moduleInfo(SourceFile file) {
    List<String> broken = new ArrayList<>();
    if (!file.text().contains("@NullMarked")) {
      broken.add(file.path() + ": the module is not @NullMarked");
    }
    if (UNRESTRICTED.contains(file.module())) {
      return broken;
    }
    Set<String> allowed = IMPORTS.get(file.module());
    if (allowed == null) {
      broken.add(file.path() + ": the module has no place in the order of modules");
      return broken;
    }
    Matcher matcher = REQUIRES.matcher(blankComments(file.text()));
    while (matcher.find()) {
      if (!allowed.contains(matcher.group(1))) {
        broken.add(file.path() + ": may not require sluice." + matcher.group(1));
      }
    }
    return broken;
  }

  /// Returns links to files of the tree that do not exist.
  ///
  /// @param exists tells if a path relative to the root exists
  static List<String> links(SourceFile file, Predicate<String> exists) {
    List<String> broken = new ArrayList<>();
    Matcher matcher = LINKS.matcher(file.text().replaceAll("(?s)```.*?```|`[^`\\n]*`", ""));
    while (matcher.find()) {
      String target = matcher.group(1).replaceAll("#.*$", "");
      if (target.isEmpty() || target.contains("://") || target.startsWith("mailto:")) {
        continue;
      }
      int slash = file.path().lastIndexOf('/');
      String base = slash < 0 ? "" : file.path().substring(0, slash + 1);
      if (!exists.test(base + target)) {
        broken.add(file.path() + ": link leads nowhere: " + matcher.group(1));
      }
    }
    return broken;
  }

  /// Returns the artifacts of a POM that have no row in the decisions.
  static List<String> dependencies(SourceFile pom, String decisions) {
    List<String> broken = new ArrayList<>();
    Matcher matcher = ARTIFACTS.matcher(pom.text());
    while (matcher.find()) {
      String artifact = matcher.group(1);
      if (!artifact.startsWith("sluice") && !decisions.contains("`" + artifact + "`")) {
        broken.add(pom.path() + ": " + artifact + " has no row in docs/decisions/dependencies.md");
      }
    }
    return broken;
  }
}
