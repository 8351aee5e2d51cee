package sluice.testbase;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A `sluice` command that a page of the documents shows: a line in a block of the shell, one
/// behind a prompt `$ ` in a block `console`, which shows its output too, or a text in back quotes.
/// Immutable.
///
/// @param place file and line
/// @param isWhole whether it is meant to be typed as it stands: in a block, without `…` or `[…]`
/// @param name how it is called: `./sluice`
/// @param words what follows
public record DocumentedCommand(String place, boolean isWhole, String name, List<String> words) {
  private static final Set<String> SHELLS = Set.of("", "sh", "ini");
  private static final String PROMPT = "$ ";
  private static final Pattern COMMAND = Pattern.compile("(?:ExecStart=)?(?:[\\w./]*/)?sluice");
  private static final Pattern QUOTED = Pattern.compile("`((?:\\./)?sluice [^`]*)`");

  /// Quoted parts belong to their word, and so does a `#` inside of it.
  private static final Pattern WORD =
      Pattern.compile("(?:[^\\s'\";#]|'[^']*'|\"[^\"]*\"|(?<=\\S)#)+|[;#]");

  public DocumentedCommand {
    words = List.copyOf(words);
  }

  /// All that the pages below a directory show, its target directories left out.
  public static List<DocumentedCommand> below(Path root) throws IOException {
    List<Path> pages;
    try (Stream<Path> files = Files.walk(root)) {
      pages =
          files
              .filter(file -> file.toString().endsWith(".md"))
              .filter(
                  file -> !root.relativize(file).toString().matches("(.*/)?(target|\\.\\w+)/.*"))
              .sorted()
              .toList();
    }
    List<DocumentedCommand> found = new ArrayList<>();
    for (Path page : pages) {
      found.addAll(of(root.relativize(page).toString(), Files.readString(page)));
    }
    return found;
  }

  /// Those of one page.
  public static List<DocumentedCommand> of(String name, String text) {
    List<DocumentedCommand> found = new ArrayList<>();
    String block = null;
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String place = name + ":" + number;
      if (line.startsWith("```")) {
        block = block == null ? line.substring(3).strip() : null;
      } else if (block == null) {
        Matcher quoted = QUOTED.matcher(line);
        while (quoted.find()) {
          add(found, place, false, quoted.group(1));
        }
      } else if (SHELLS.contains(block)) {
        add(found, place, true, line);
      } else if (block.equals("console") && line.startsWith(PROMPT)) {
        add(found, place, true, line.substring(PROMPT.length()));
      }
    }
    return found;
  }

  /// The commands of one line, each up to what ends it for the shell.
  private static void add(
      List<DocumentedCommand> found, String place, boolean isBlock, String line) {
    String name = "";
    boolean isFirst = true;
    List<String> words = null;
    Matcher word = WORD.matcher(line);
    while (word.find()) {
      String next = word.group();
      if (next.startsWith("#")) {
        break;
      }
      if (Set.of(";", "&", "&&", "|", "||").contains(next)) {
        end(found, place, isBlock, name, words);
        words = null;
        isFirst = true;
      } else if (words != null) {
        words.add(next.replaceAll("['\"]", ""));
      } else if (isFirst && COMMAND.matcher(next).matches()) {
        name = next;
        words = new ArrayList<>();
      } else {
        isFirst = isFirst && next.matches("sudo|exec|timeout|-s|KILL|[0-9.]+|[A-Z_]+=.*");
      }
    }
    end(found, place, isBlock, name, words);
  }

  private static void end(
      List<DocumentedCommand> found,
      String place,
      boolean isBlock,
      String name,
      @Nullable List<String> words) {
    if (words != null && !words.isEmpty()) {
      boolean isOpen = words.stream().anyMatch(word -> word.matches(".*(…|\\[|\\]).*"));
      found.add(new DocumentedCommand(place, isBlock && !isOpen, name, words));
    }
  }
}
