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

  /// The rules that ship.
  public static RuleTable standard() {
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
      String[] parts = line.strip().split("\\s*\\|\\s*", -1);
      String[] words = parts[0].split("\\s+", -1);
      int dot = words.length == 2 ? words[1].lastIndexOf('.') : -1;
      if (parts.length != 3 || dot < 1) {
        throw new IllegalArgumentException(
            name + ":" + number + ": a line is TREATMENT OWNER.MEMBER | WHY | FIX: " + line);
      }
      Treatment treatment = Treatment.valueOf(words[0].toUpperCase(Locale.ROOT).replace('-', '_'));
      String owner = words[1].substring(0, dot);
      table.add(new Rule(treatment, owner, words[1].substring(dot + 1), parts[1], parts[2]));
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
