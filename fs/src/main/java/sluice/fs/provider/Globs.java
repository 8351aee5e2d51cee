package sluice.fs.provider;

import java.nio.file.PathMatcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/// Creates path matchers, as specified by [java.nio.file.FileSystem#getPathMatcher]. This class is
/// stateless and thread-safe.
final class Globs {
  private static final String SPECIAL_IN_REGEX = ".^$+{[]|()&-";

  private Globs() {}

  /// Returns a matcher for the given pattern.
  ///
  /// @param syntaxAndPattern `glob:` or `regex:`, followed by a pattern
  static PathMatcher matcher(String syntaxAndPattern) {
    int colon = syntaxAndPattern.indexOf(':');
    if (colon <= 0) {
      throw new IllegalArgumentException("a matcher is glob:PATTERN or regex:PATTERN");
    }
    String syntax = syntaxAndPattern.substring(0, colon);
    String text = syntaxAndPattern.substring(colon + 1);
    Pattern pattern;
    if (syntax.equalsIgnoreCase("glob")) {
      pattern = Pattern.compile(new Translation(text).regex(), Pattern.DOTALL);
    } else if (syntax.equalsIgnoreCase("regex")) {
      pattern = Pattern.compile(text);
    } else {
      throw new UnsupportedOperationException("matchers are glob and regex, not " + syntax);
    }
    return path -> pattern.matcher(path.toString()).matches();
  }

  /// Translates a single glob to a regular expression. Instances are confined to one thread.
  private static final class Translation {
    private final String glob;
    private final StringBuilder regex = new StringBuilder();
    private int at;
    private boolean inGroup;

    Translation(String glob) {
      this.glob = glob;
    }

    private PatternSyntaxException wrong(String why) {
      return new PatternSyntaxException(why, glob, Math.min(at, glob.length()) - 1);
    }

    private char next(String missing) {
      if (at == glob.length()) {
        throw wrong(missing);
      }
      return glob.charAt(at++);
    }

    String regex() {
      while (at < glob.length()) {
        char c = glob.charAt(at++);
        switch (c) {
          case '*' -> star();
          case '?' -> regex.append("[^/]");
          case '[' -> bracket();
          case '\\' -> literal(next("nothing behind the backslash"));
          case '{' -> {
            if (inGroup) {
              throw wrong("a group in a group");
            }
            regex.append("(?:(?:");
            inGroup = true;
          }
          case '}' -> {
            regex.append(inGroup ? "))" : "\\}");
            inGroup = false;
          }
          case ',' -> regex.append(inGroup ? ")|(?:" : ",");
          default -> literal(c);
        }
      }
      if (inGroup) {
        throw wrong("a group without its end");
      }
      return regex.toString();
    }

    private void star() {
      if (at < glob.length() && glob.charAt(at) == '*') {
        at++;
        regex.append(".*");
      } else {
        regex.append("[^/]*");
      }
    }

    private void literal(char c) {
      if (c == '\\' || c == '*' || c == '?' || SPECIAL_IN_REGEX.indexOf(c) >= 0 || c == '}') {
        regex.append('\\');
      }
      regex.append(c);
    }

    /// Translates a bracket expression. The expression never matches a slash, and the characters
    /// `*`, `?` and `\` are literals within it.
    private void bracket() {
      regex.append("[[^/]&&[");
      if (at < glob.length() && glob.charAt(at) == '!') {
        regex.append('^');
        at++;
      }
      int first = at;
      char last = 0;
      char c = next("a bracket without its end");
      while (c != ']' || at == first) {
        if (c == '/') {
          throw wrong("a slash in brackets");
        }
        if (c == '-' && at - 1 > first && at < glob.length() && glob.charAt(at) != ']') {
          char end = next("a bracket without its end");
          if (end < last || last == 0) {
            throw wrong("a range that ends before it begins");
          }
          regex.append('-');
          literal(end);
          last = 0;
        } else {
          literal(c);
          last = c;
        }
        c = next("a bracket without its end");
      }
      regex.append("]]");
    }
  }
}
