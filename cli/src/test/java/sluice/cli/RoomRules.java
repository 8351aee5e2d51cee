package sluice.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.cli.SourceTree.SourceFile;

/// The rules of STYLE.md for packages: few files each, no large circles of classes, an order among
/// the packages of a module, and comments with a plain subject. Each rule takes all sources of the
/// tree.
///
/// A class is its file, so nested types belong to it. A file depends on the files of its package
/// whose names appear in its code, outside of comments and string literals. A type that the code
/// only passes on without naming it is not seen. In return, the rules need no compiled classes.
final class RoomRules {
  static final int FILES = 40;
  static final int CIRCLE = 6;

  private static final Pattern SOURCE =
      Pattern.compile("[\\w/]+/src/(?:main|test)/java/(sluice/[\\w/]+)/([\\w-]+)\\.java");
  private static final Pattern TYPE = Pattern.compile("(?<![\\w.])[A-Z]\\w*");
  private static final Pattern DECLARED =
      Pattern.compile("\\b(?:class|interface|record|enum)\\s+([A-Z]\\w*)");
  private static final Pattern QUALIFIED =
      Pattern.compile("\\b(sluice(?:\\.[a-z]\\w*)+)\\.([A-Z]\\w*)");

  /// Words that replace the name of the acting thing (STYLE.md, "Comments").
  private static final Pattern STAND_IN =
      Pattern.compile(
          "(?i)\\b(?:who|whom|whoever|nobody|somebody|anybody|everybody|someone|anyone|everyone"
              + "|no one|one (?:that|which)|what is left)\\b|(?:^|[.:;] )others\\b");

  /// The same words in the name of a method.
  private static final Pattern STAND_IN_NAME =
      Pattern.compile(
          "\\b(?:who(?:ever)?[A-Z]\\w*\\(|\\w*(?:Who|Whom|Whoever|Nobody|Somebody|Anybody|Everybody"
              + "|Someone|Anyone|Everyone)s?(?:[A-Z]\\w*)?\\()");

  private RoomRules() {}

  /// Returns the values above the limits as `PACKAGE files`, `PACKAGE circle` and `PACKAGE words`.
  /// The first two consider main sources only, the last also tests.
  static Map<String, Integer> excess(Collection<SourceFile> files) {
    Map<String, Map<String, SourceFile>> rooms = rooms(files);
    Map<String, Integer> excess = new TreeMap<>();
    rooms.forEach((room, classes) -> {
      above(excess, room + " files", classes.size(), FILES);
      above(excess, room + " circle", largest(Circles.of(uses(room, classes))), CIRCLE);
    });
    Map<String, Integer> words = new TreeMap<>();
    for (SourceFile file : files) {
      Matcher path = SOURCE.matcher(file.path());
      if (path.matches()) {
        words.merge(path.group(1).replace('/', '.') + " words", standIns(file), Integer::sum);
      }
    }
    words.forEach((key, count) -> above(excess, key, count, 0));
    return excess;
  }

  private static void above(Map<String, Integer> excess, String key, int count, int limit) {
    if (count > limit) {
      excess.put(key, count);
    }
  }

  private static int largest(List<Set<String>> circles) {
    return circles.stream().mapToInt(Set::size).max().orElse(0);
  }

  /// Compares the violations with the exceptions, which must be equal. A higher number is a new
  /// violation; a lower one means that the exception has to be lowered too.
  ///
  /// @param excepted the exceptions in the form that [#excess] returns
  static List<String> compare(Map<String, Integer> found, Map<String, Integer> excepted) {
    Set<String> keys = new TreeSet<>(found.keySet());
    keys.addAll(excepted.keySet());
    List<String> broken = new ArrayList<>();
    for (String key : keys) {
      int now = found.getOrDefault(key, 0);
      int before = excepted.getOrDefault(key, 0);
      if (now > before) {
        broken.add(key + ": " + now + ", at most " + (before == 0 ? limit(key) : before));
      } else if (now < before) {
        String to = now == 0 ? "take it out" : "lower it to " + now;
        broken.add(key + ": less than its " + before + " in tidy-rooms.txt: " + to);
      }
    }
    return broken;
  }

  private static int limit(String key) {
    return key.endsWith(" files") ? FILES : key.endsWith(" circle") ? CIRCLE : 0;
  }

  /// Parses lines of the form `PACKAGE RULE=COUNT…` into the form that [#excess] returns.
  static Map<String, Integer> exceptions(List<String> lines) {
    Map<String, Integer> exceptions = new TreeMap<>();
    for (String line : lines) {
      String[] parts = line.split(" +", -1);
      for (int i = 1; i < parts.length; i++) {
        int equals = parts[i].indexOf('=');
        String key = parts[0] + " " + parts[i].substring(0, equals);
        exceptions.put(key, Integer.parseInt(parts[i].substring(equals + 1)));
      }
    }
    return exceptions;
  }

  /// Checks that packages name only packages below them in the order of their module, and that the
  /// order has no circle.
  ///
  /// @param order the packages that each package may name, for modules with several packages
  static List<String> order(Collection<SourceFile> files, Map<String, Set<String>> order) {
    Map<String, Map<String, SourceFile>> rooms = rooms(files);
    Map<String, Map<String, Map<String, SourceFile>>> modules = new TreeMap<>();
    rooms.forEach((room, classes) -> {
      String module = classes.values().iterator().next().module();
      modules.computeIfAbsent(module, _ -> new TreeMap<>()).put(room, classes);
    });
    List<String> broken = new ArrayList<>();
    for (Map<String, Map<String, SourceFile>> module : modules.values()) {
      if (module.size() > 1) {
        Map<String, Set<String>> names = new TreeMap<>();
        module.forEach((room, classes) -> names.put(room, named(room, module.keySet(), classes)));
        names.forEach((room, named) -> broken.addAll(misplaced(room, named, order)));
        Circles.of(names).forEach(circle -> broken.add("packages in a circle: " + circle));
      }
    }
    order.keySet().stream()
        .filter(room -> !rooms.containsKey(room))
        .forEach(room -> broken.add(room + ": no such package"));
    return broken;
  }

  private static List<String> misplaced(
      String room, Set<String> named, Map<String, Set<String>> order) {
    Set<String> below = order.get(room);
    if (below == null) {
      return List.of(room + ": no line in tidy-packages.txt; it names " + String.join(" ", named));
    }
    Set<String> above = new TreeSet<>(named);
    above.removeAll(below);
    return above.stream().map(other -> room + ": may not name " + other).toList();
  }

  /// Parses lines of the form `PACKAGE: PACKAGE…`.
  static Map<String, Set<String>> orders(List<String> lines) {
    Map<String, Set<String>> orders = new LinkedHashMap<>();
    for (String line : lines) {
      int colon = line.indexOf(':');
      String below = line.substring(colon + 1).strip();
      orders.put(
          line.substring(0, colon), below.isEmpty() ? Set.of() : Set.of(below.split(" +", -1)));
    }
    return orders;
  }

  /// Returns the main sources by package and name.
  private static Map<String, Map<String, SourceFile>> rooms(Collection<SourceFile> files) {
    Map<String, Map<String, SourceFile>> rooms = new TreeMap<>();
    for (SourceFile file : files) {
      Matcher path = SOURCE.matcher(file.path());
      if (file.isMain() && path.matches() && !path.group(2).equals("package-info")) {
        String room = path.group(1).replace('/', '.');
        String code = TidyRules.blankComments(file.text());
        rooms
            .computeIfAbsent(room, _ -> new TreeMap<>())
            .put(path.group(2), new SourceFile(file.path(), code));
      }
    }
    return rooms;
  }

  /// Returns the classes of the same package that each class names.
  private static Map<String, Set<String>> uses(String room, Map<String, SourceFile> classes) {
    Map<String, Set<String>> uses = new TreeMap<>();
    classes.forEach((name, file) -> {
      Set<String> used = new TreeSet<>();
      TYPE.matcher(file.text()).results().forEach(match -> used.add(match.group()));
      Set<String> declared = new HashSet<>();
      DECLARED.matcher(file.text()).results().forEach(match -> declared.add(match.group(1)));
      used.removeAll(declared);
      QUALIFIED
          .matcher(file.text())
          .results()
          .filter(match -> match.group(1).equals(room))
          .forEach(match -> used.add(match.group(2)));
      used.retainAll(classes.keySet());
      used.remove(name);
      uses.put(name, used);
    });
    return uses;
  }

  /// Returns the other packages of its module that a package names.
  private static Set<String> named(
      String room, Set<String> module, Map<String, SourceFile> classes) {
    Set<String> named = new TreeSet<>();
    for (SourceFile file : classes.values()) {
      QUALIFIED.matcher(file.text()).results().forEach(match -> named.add(match.group(1)));
    }
    named.retainAll(module);
    named.remove(room);
    return named;
  }

  /// Returns the number of comment lines and method names with a stand-in word.
  static int standIns(SourceFile file) {
    long lines =
        TidyRules.comments(file.text()).stream()
            .filter(line -> STAND_IN.matcher(line).find())
            .count();
    Matcher names = STAND_IN_NAME.matcher(TidyRules.blankComments(file.text()));
    return (int) (lines + names.results().count());
  }
}
