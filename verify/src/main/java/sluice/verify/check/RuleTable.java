package sluice.verify.check;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The rules of a domain. If several rules match, the first one applies. The rules are immutable,
/// and this class is thread-safe.
///
/// Each line has the form `TREATMENT OWNER.MEMBER | WHY | FIX`. A comment starts with `#`.
public final class RuleTable {
  /// The maximum number of uses that are cached. The number must be limited, because class files
  /// may refer to any number of members.
  private static final int MOST_HARMLESS = 8192;

  private final Map<String, List<Rule>> byOwner = new HashMap<>();
  private final Set<String> exact = new HashSet<>();
  private final Set<String> beginnings = new LinkedHashSet<>();
  private final Set<String> endings = new LinkedHashSet<>();
  private final Map<String, Set<String>> harmless = new ConcurrentHashMap<>();
  private final AtomicInteger harmlessUses = new AtomicInteger();
  private int size;

  private RuleTable() {}

  /// A holder of the built-in rules, which are read only once.
  private static final class Standard {
    static final RuleTable TABLE = read();

    private Standard() {}
  }

  /// Returns the built-in rules.
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

  /// Parses rules.
  ///
  /// @param name the name of the file, for messages
  /// @throws IllegalArgumentException with the name, the line number and the error
  static RuleTable parse(String name, String text) {
    RuleTable table = new RuleTable();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      // The line is parsed without regular expressions, because these took most of the startup time
      // of plug-ins and domains.
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
    String member = rule.member();
    if (!member.contains("*")) {
      exact.add(member);
    } else if (member.length() > 1) {
      boolean isEnding = member.startsWith("*");
      (isEnding ? endings : beginnings).add(member.replace("*", ""));
    }
  }

  /// Returns the rule for a member of a class, or null if there is none. The rules for a class
  /// precede the rules for its packages, which are ordered from the innermost to the outermost
  /// package.
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

  /// Returns true if there is a rule for members with the given name. Rules that consist of `*`
  /// alone are not considered, because they apply to all members including constructors, so that a
  /// subclass cannot be created anyway.
  boolean names(String member) {
    if (exact.contains(member)) {
      return true;
    }
    for (String each : beginnings) {
      if (member.startsWith(each)) {
        return true;
      }
    }
    for (String each : endings) {
      if (member.endsWith(each)) {
        return true;
      }
    }
    return false;
  }

  /// Returns true if a use of a JDK member is known not to match any rule.
  boolean isHarmless(String owner, String member) {
    Set<String> members = harmless.get(owner);
    return members != null && members.contains(member);
  }

  /// Records that a use of a JDK member does not match any rule. At most [#MOST_HARMLESS] uses are
  /// recorded.
  void rememberHarmless(String owner, String member) {
    if (harmlessUses.get() < MOST_HARMLESS
        && harmless.computeIfAbsent(owner, _ -> ConcurrentHashMap.newKeySet()).add(member)) {
      harmlessUses.incrementAndGet();
    }
  }

  /// Returns the number of rules.
  public int size() {
    return size;
  }
}
