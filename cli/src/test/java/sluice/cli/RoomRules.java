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

/// The rules of STYLE.md for the packages of a module: few files each, no circle of many classes,
/// an order among packages, and comments with a plain subject. Each takes all sources of the tree.
///
/// A class is its file: nested types belong to it. A file depends on the files of its package whose
/// names its code says, comments and text in quotes left out. A type that code only passes on,
/// without its name, is not seen; nothing has to be compiled for this.
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

  /// Words that stand where the name of the acting thing should (STYLE.md, "Comments").
  private static final Pattern STAND_IN =
      Pattern.compile(
          "(?i)\\b(?:who|whom|whoever|nobody|somebody|anybody|everybody|someone|anyone|everyone"
              + "|no one|one (?:that|which)|what is left)\\b|(?:^|[.:;] )others\\b");

  /// The same in the name of a method.
  private static final Pattern STAND_IN_NAME =
      Pattern.compile(
          "\\b(?:who(?:ever)?[A-Z]\\w*\\(|\\w*(?:Who|Whom|Whoever|Nobody|Somebody|Anybody|Everybody"
              + "|Someone|Anyone|Everyone)s?(?:[A-Z]\\w*)?\\()");

  private RoomRules() {}

  /// What of each package is above its limit: `PACKAGE files`, `PACKAGE circle`, `PACKAGE words`.
  /// The first two look at main sources, the last at tests too.
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

  /// What is found must be what is excepted: more is a new breach, less means that the number goes
  /// down with it.
  ///
  /// @param excepted as [#excess] returns it
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

  /// Lines of `PACKAGE RULE=COUNT…`, as [#excess] returns it.
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

  /// Packages of a module name only those that their order puts below them, and there is no circle
  /// among them.
  ///
  /// @param order for each package of a module that has several, what it may name
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

  /// Lines of `PACKAGE: PACKAGE…`.
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

  /// Main sources by package, then by name.
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

  /// Which classes of its package each class names.
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

  /// Which other packages of its module a package names.
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

  /// Comment lines with a stand-in word. Lines of comments, and names of methods.
  static int standIns(SourceFile file) {
    long lines =
        TidyRules.comments(file.text()).stream()
            .filter(line -> STAND_IN.matcher(line).find())
            .count();
    Matcher names = STAND_IN_NAME.matcher(TidyRules.blankComments(file.text()));
    return (int) (lines + names.results().count());
  }
}
