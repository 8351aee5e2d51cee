package sluice.http.rules;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.RequestPath;

/// A pattern for the paths of a site to which a rule applies. Immutable: any thread may use it.
///
/// Paths are compared after percent-decoding and without dot segments and doubled slashes, so
/// another spelling of a path cannot bypass a rule.
///
/// | pattern | fits |
/// |---|---|
/// | `/a/b` | that path alone |
/// | `/a/*` | `/a` and everything below it |
/// | `*.html`, `/a/*.html` | what begins and ends so; `*` stands for slashes too |
public final class PathPattern {
  private final String text;
  private final String prefix;

  /// The text after the star; null without a star.
  private final @Nullable String suffix;

  private PathPattern(String text) {
    this.text = text;
    int star = text.indexOf('*');
    this.prefix = star < 0 ? text : text.substring(0, star);
    this.suffix = star < 0 ? null : text.substring(star + 1);
  }

  /// Parses a pattern.
  ///
  /// @throws IllegalArgumentException if it is not a pattern, or matches no canonical path
  public static PathPattern of(String text) {
    int star = text.indexOf('*');
    String plain = star < 0 ? text : text.substring(0, star) + "x" + text.substring(star + 1);
    String path = plain.startsWith("/") || star != 0 ? plain : "/" + plain;
    if (text.isEmpty() || (star >= 0 && text.indexOf('*', star + 1) >= 0)) {
      throw new IllegalArgumentException("a path pattern has at most one *: '" + text + "'");
    }
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    if (path.indexOf('%') >= 0 || !path.equals(RequestPath.canonical(bytes))) {
      throw new IllegalArgumentException(
          "a path pattern is such as /a/b, /a/* or *.html, without escapes, dot segments and"
              + " doubled slashes: '"
              + text
              + "'");
    }
    return new PathPattern(text);
  }

  /// Returns true if the pattern matches a path.
  ///
  /// @param path canonical
  public boolean fits(String path) {
    return rest(path) != null;
  }

  /// Returns the part of a path that the star matches, empty without a star; null if the pattern
  /// does not match.
  @Nullable String rest(String path) {
    String end = suffix;
    if (end == null) {
      return path.equals(prefix) ? "" : null;
    }
    if (path.length() >= prefix.length() + end.length()
        && path.startsWith(prefix)
        && path.endsWith(end)) {
      return path.substring(prefix.length(), path.length() - end.length());
    }
    boolean below = end.isEmpty() && prefix.length() > 1 && prefix.endsWith("/");
    return below && path.length() == prefix.length() - 1 && prefix.startsWith(path) ? "" : null;
  }

  /// Returns true if the pattern matches a path, or a directory above it, with or without a
  /// trailing slash.
  boolean covers(String path) {
    if (fits(path) || fits(path + "/")) {
      return true;
    }
    for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      if (fits(path.substring(0, slash + 1)) || (slash > 0 && fits(path.substring(0, slash)))) {
        return true;
      }
    }
    return false;
  }

  boolean hasStar() {
    return suffix != null;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof PathPattern that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
