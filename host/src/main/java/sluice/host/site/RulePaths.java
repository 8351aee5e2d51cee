package sluice.host.site;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.FileVisitor;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import sluice.http.rules.AccessRule;
import sluice.http.rules.PathPattern;
import sluice.http.rules.SiteRules;
import sluice.http.site.Site;

/// Compares the paths in the rules of a site with the existing files. A rule that does not match
/// any file is probably misspelled, and an access rule does not protect the files in a directory
/// that ignores case. Instances are confined to the thread that reads the configuration.
final class RulePaths {
  /// The maximum number of entries of a directory or a directory tree that are examined.
  private static final int MOST_ENTRIES = 100_000;

  private static final List<String> CODED = List.of("", ".gz", ".br", ".zst");

  private final Site site;
  private final SiteRules rules;
  private final List<String> plugins;

  /// Creates an instance for one site.
  ///
  /// @param plugins the paths that are answered by plug-ins
  RulePaths(Site site, SiteRules rules, List<String> plugins) {
    this.site = site;
    this.rules = rules;
    this.plugins = plugins;
  }

  /// Returns true if an access rule applies to a file, a directory, a redirect or a plug-in.
  boolean guardsSomething(AccessRule rule) {
    return names(rule.path(), rule::isFor);
  }

  /// Returns true if a header rule applies to a file, a directory, a redirect or a plug-in.
  boolean fitsSomething(PathPattern path) {
    return names(path, path::fits);
  }

  private boolean names(PathPattern pattern, Predicate<String> isFor) {
    String text = pattern.toString();
    int star = text.indexOf('*');
    String literal = star < 0 ? text : text.substring(0, star);
    boolean answered =
        plugins.stream().anyMatch(each -> each.startsWith(literal) || literal.startsWith(each))
            || rules.redirects().stream().anyMatch(each -> meets(each.from(), literal, isFor));
    return answered || (star < 0 ? isThere(text) : treeHas(literal, isFor));
  }

  private static boolean meets(PathPattern from, String literal, Predicate<String> isFor) {
    String text = from.toString();
    return isFor.test(text.replace("*", "x")) || from.fits(literal);
  }

  /// Returns true if a path without a star refers to an existing file, in any content coding.
  private boolean isThere(String path) {
    Path beneath = beneath(path);
    if (beneath == null) {
      return false;
    }
    if (Files.exists(beneath)) {
      return true;
    }
    if (path.endsWith("/")) {
      return false;
    }
    for (String coded : CODED) {
      if (Files.exists(beside(beneath, coded))) {
        return true;
      }
      for (String each : site.tries()) {
        if (each.startsWith(Site.SUFFIX_OF)
            && Files.exists(beside(beneath, each.substring(Site.SUFFIX_OF.length()) + coded))) {
          return true;
        }
      }
    }
    return false;
  }

  private static Path beside(Path file, String ending) {
    return file.resolveSibling(file.getFileName() + ending);
  }

  private @Nullable Path beneath(String path) {
    try {
      return site.root().resolve(path.replaceAll("^/+|/+$", ""));
    } catch (InvalidPathException e) {
      return null;
    }
  }

  /// Returns true if a pattern with a star matches anything in its directory. Also returns true if
  /// the directory tree is too large, cannot be read, or contains a link to a directory.
  private boolean treeHas(String literal, Predicate<String> isFor) {
    Path from = beneath(literal.substring(0, literal.lastIndexOf('/') + 1));
    if (from == null || !Files.isDirectory(from)) {
      return false;
    }
    boolean[] found = {false};
    FileVisitor<Path> visitor =
        new SimpleFileVisitor<>() {
          private int seen;

          private FileVisitResult look(Path at, boolean directory) {
            String path = "/" + site.root().relativize(at);
            boolean fits =
                directory
                    ? isFor.test(path) || isFor.test(path.equals("/") ? path : path + "/")
                    : site.spellings(path).stream().anyMatch(isFor) || Files.isDirectory(at);
            found[0] = fits || ++seen > MOST_ENTRIES;
            return found[0] ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult preVisitDirectory(Path at, BasicFileAttributes attributes) {
            return look(at, true);
          }

          @Override
          public FileVisitResult visitFile(Path at, BasicFileAttributes attributes) {
            return look(at, false);
          }

          @Override
          public FileVisitResult visitFileFailed(Path at, IOException e) {
            found[0] = true;
            return FileVisitResult.TERMINATE;
          }
        };
    try {
      Files.walkFileTree(from, visitor);
    } catch (IOException e) {
      return true;
    }
    return found[0];
  }

  /// Returns a directory on the path of an access rule that ignores case, so that the rule is not
  /// effective. Returns null if there is no such directory.
  @Nullable Path directoryWithoutCase(AccessRule rule) {
    String text = rule.path().toString();
    int star = text.indexOf('*');
    Path at = beneath(star < 0 ? text : text.substring(0, text.lastIndexOf('/', star) + 1));
    for (; at != null && at.startsWith(site.root()); at = at.getParent()) {
      if (Files.isDirectory(at) && foldsCase(at)) {
        return at;
      }
    }
    return null;
  }

  private static boolean foldsCase(Path directory) {
    Set<String> names = new HashSet<>();
    try (Stream<Path> list = Files.list(directory)) {
      list.limit(MOST_ENTRIES).forEach(each -> names.add(each.getFileName().toString()));
    } catch (IOException e) {
      return false;
    }
    return foldsCase(names, name -> Files.exists(directory.resolve(name), NOFOLLOW_LINKS));
  }

  /// Returns true if a directory ignores the case of names.
  ///
  /// @param names some or all of the names in the directory
  /// @param exists a predicate that tests whether a name exists
  static boolean foldsCase(Set<String> names, Predicate<String> exists) {
    for (String name : names) {
      String upper = name.toUpperCase(Locale.ROOT);
      String other = upper.equals(name) ? name.toLowerCase(Locale.ROOT) : upper;
      if (!names.contains(other)) {
        return exists.test(other);
      }
    }
    return false;
  }
}
