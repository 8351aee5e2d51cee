package sluice.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.cli.SourceTree.SourceFile;

/// The rules for documents and for the figures they name. Stateless.
final class DocumentRules {
  static final int CELL = 200;

  private static final String DATA = ".jsonl";
  private static final String PLOT = ".svg";

  private static final Pattern STAND_IN =
      Pattern.compile(
          "(?i)\\b(?:who|whom|whoever|nobody|somebody|anybody|everybody|someone|anyone|everyone"
              + "|no one)\\b");

  private DocumentRules() {}

  /// Returns the lines that contain a stand-in word. Skips code in backquotes and STYLE.md, which
  /// states the rule.
  static List<String> words(SourceFile file) {
    List<String> broken = new ArrayList<>();
    List<String> lines = file.path().equals("STYLE.md") ? List.of() : file.lines();
    for (int i = 0; i < lines.size(); i++) {
      Matcher word = STAND_IN.matcher(lines.get(i).replaceAll("`[^`]*`|\\([^)]*\\.md[^)]*\\)", ""));
      if (word.find()) {
        broken.add(file.path() + ":" + (i + 1) + ": stand-in word: " + word.group());
      }
    }
    return broken;
  }

  /// Returns the table cells that are too long for a table and should be a list.
  static List<String> cells(SourceFile file) {
    List<String> broken = new ArrayList<>();
    for (String line : file.lines()) {
      if (line.startsWith("|")) {
        for (String cell : line.split("(?<!\\\\)\\|", -1)) {
          if (cell.strip().length() > CELL) {
            String begin = cell.strip().substring(0, 40);
            broken.add(file.path() + ": a cell of " + cell.strip().length() + ": " + begin);
          }
        }
      }
    }
    return broken;
  }

  /// Returns the result files that no document names, and the ones without a plot.
  ///
  /// @param names the names of the files in `bench/results`
  /// @param documents the text of all documents
  static List<String> results(Collection<String> names, String documents) {
    List<String> broken = new ArrayList<>();
    for (String name : names) {
      boolean data = name.endsWith(DATA);
      String plot = name.replace(DATA, PLOT);
      if (data && !names.contains(plot)) {
        broken.add(name + " has no plot: ./sluice bench plot bench/results/" + name);
      }
      boolean ofData = name.endsWith(PLOT) && names.contains(name.replace(PLOT, DATA));
      if (!ofData && !documents.contains(name)) {
        broken.add(name + " is cited by no document");
      }
    }
    return broken;
  }
}
