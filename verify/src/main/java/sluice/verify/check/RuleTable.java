package sluice.verify.check;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The rules of a domain, of which the first that matches counts. Immutable once read.
///
/// A line is `TREATMENT OWNER.MEMBER | WHY | FIX`; `#` begins a comment.
public final class RuleTable {
  private final Map<String, List<Rule>> byOwner = new HashMap<>();
  private final Set<String> exact = new HashSet<>();
  private final List<Rule> patterns = new ArrayList<>();
  private int size;

  private RuleTable() {}

  /// The rules that ship, read once.
  private static final class Standard {
    static final RuleTable TABLE = read();

    private Standard() {}
  }

  /// Returns the rules that ship.
  public static RuleTable standard() {
    return Standard.TABLE;
  }

  private static RuleTable read() {
    try (InputStream in = RuleTable.class.getResourceAsStream("rules.txt")) {
      if (in == null) {
        throw new IllegalStateException("rules.txt is missing in the module");
      }
      return parse("rules.txt", new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Reads rules.
  ///
  /// @param name of the file, for messages
  /// @throws IllegalArgumentException with name, line and what is wrong
  static RuleTable parse(String name, String text) {
    RuleTable table = new RuleTable();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      // By hand: a start with a plug-in or a domain waits for it, and patterns took most of it.
      int fix = line.lastIndexOf('|');
      int why = line.lastIndexOf('|', fix - 1);
      int member = line.indexOf(' ');
      int dot = why < 0 ? -1 : line.lastIndexOf('.', why);
      if (why < 0 || line.indexOf('|') != why || member < 1 || dot < member) {
        throw new IllegalArgumentException(
            name + ":" + number + ": a line is TREATMENT OWNER.MEMBER | WHY | FIX: " + line);
      }
      Treatment treatment =
          Treatment.valueOf(line.substring(0, member).toUpperCase(Locale.ROOT).replace('-', '_'));
      table.add(
          new Rule(
              treatment,
              line.substring(member, dot).strip(),
              line.substring(dot + 1, why).strip(),
              line.substring(why + 1, fix).strip(),
              line.substring(fix + 1).strip()));
    }
    return table;
  }

  private void add(Rule rule) {
    byOwner.computeIfAbsent(rule.owner(), _ -> new ArrayList<>()).add(rule);
    size++;
    if (!rule.member().contains("*")) {
      exact.add(rule.member());
    } else if (rule.member().length() > 1) {
      patterns.add(rule);
    }
  }

  /// The rule for a member of a class: of the class, else of the nearest package around it; null if
  /// there is none.
  @Nullable Rule find(String owner, String member) {
    String at = owner;
    while (true) {
      for (Rule rule : byOwner.getOrDefault(at, List.of())) {
        if (rule.matches(owner, member)) {
          return rule;
        }
      }
      int slash = at.lastIndexOf('/', at.length() - 2);
      if (slash < 0) {
        return null;
      }
      at = at.substring(0, slash + 1);
    }
  }

  /// Whether a rule has a member of this name, not only `*`: rules with `*` are about all members,
  /// so a class below cannot be made without its constructor.
  boolean names(String member) {
    return exact.contains(member) || patterns.stream().anyMatch(rule -> rule.hasMember(member));
  }

  /// How many rules there are.
  public int size() {
    return size;
  }
}
