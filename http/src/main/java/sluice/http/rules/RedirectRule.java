package sluice.http.rules;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.RequestPath;

/// Redirects clients from some paths to another place. Immutable: any thread may use it.
///
/// The query of the request is kept unless the target has a query or a fragment.
///
/// @param from the paths to redirect
/// @param to a path, or a whole `http://` or `https://` address; `*` stands for the text that the
///   star in `from` matched
/// @param status 301, 302, 303, 307 or 308
public record RedirectRule(PathPattern from, String to, int status) {
  private static final Set<Integer> STATUSES = Set.of(301, 302, 303, 307, 308);
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  public RedirectRule {
    if (!STATUSES.contains(status)) {
      throw new IllegalArgumentException("a redirect is 301, 302, 303, 307 or 308: " + status);
    }
    if (!to.matches("[!-~]+")) {
      throw new IllegalArgumentException(
          "a redirect's target has printable ASCII alone, the rest percent-encoded: " + to);
    }
    boolean path = to.startsWith("/") && !to.startsWith("//") && !to.startsWith("/\\");
    if (!path && !to.matches("https?://[^/?#*\\\\@]+([/?#].*)?")) {
      throw new IllegalArgumentException(
          "a redirect leads to a path such as /new/* or an address such as https://example.com/*: "
              + to);
    }
    int star = to.indexOf('*');
    if (star >= 0 && (!from.hasStar() || to.indexOf('*', star + 1) > 0)) {
      throw new IllegalArgumentException(
          "a redirect's target has one * at most, and only if its path has one: " + to);
    }
  }

  /// Returns the target for a request.
  ///
  /// @param path canonical
  /// @return null if the rule does not apply to the path
  @Nullable String target(String path) {
    String rest = from.rest(path);
    int star = to.indexOf('*');
    if (rest == null || star < 0) {
      return rest == null ? null : to;
    }
    String before = to.substring(0, star);
    // Two slashes at the beginning would name another host (RFC 3986 section 4.2).
    boolean doubled = before.endsWith("/") && rest.startsWith("/");
    return before + encoded(doubled ? rest.substring(1) : rest) + to.substring(star + 1);
  }

  /// Returns a path that the rule leads to; null if it leads to another server.
  @Nullable String example() {
    if (!to.startsWith("/")) {
      return null;
    }
    int end = to.length();
    for (char each : new char[] {'?', '#'}) {
      int at = to.indexOf(each);
      end = at < 0 ? end : Math.min(end, at);
    }
    String path = to.substring(0, end).replace("*", "x");
    return RequestPath.canonical(path.getBytes(StandardCharsets.ISO_8859_1));
  }

  /// Returns true if the query of a request is appended to its target.
  boolean takesQuery() {
    return to.indexOf('?') < 0 && to.indexOf('#') < 0;
  }

  /// Percent-encodes all but slashes and the unreserved characters of RFC 3986.
  private static String encoded(String text) {
    StringBuilder out = new StringBuilder(text.length() + 16);
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xff);
      boolean plain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || "-._~/".indexOf(c) >= 0;
      if (plain) {
        out.append(c);
      } else {
        out.append('%').append(HEX[c >>> 4]).append(HEX[c & 15]);
      }
    }
    return out.toString();
  }
}
