package sluice.http.rules;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import sluice.http.text.Latin1;

/// The rules for some paths of a site. Immutable: any thread may use it.
///
/// Rules are evaluated when a reply is prepared, not when it is sent.
///
/// @param headers fields of replies
/// @param redirects the first that matches redirects the client, even if a file exists; none leads
///   to a path that it applies to itself
/// @param access restrictions for clients; checked before anything else
public record SiteRules(
    List<HeaderRule> headers, List<RedirectRule> redirects, List<AccessRule> access) {
  public static final SiteRules NONE = new SiteRules(List.of(), List.of(), List.of());

  private static final List<String> CODED = List.of(".gz", ".br", ".zst");

  public SiteRules {
    headers = List.copyOf(headers);
    redirects = List.copyOf(redirects);
    access = List.copyOf(access);
    for (int i = 0; i < redirects.size(); i++) {
      requireNoCircle(redirects, i);
    }
  }

  /// Checks that a redirect does not lead to a path that it applies to itself, unless an earlier
  /// rule applies there.
  ///
  /// @throws IllegalArgumentException if it leads in a circle
  public static void requireNoCircle(List<RedirectRule> redirects, int index) {
    RedirectRule rule = redirects.get(index);
    String led = rule.example();
    if (led == null || !rule.from().fits(led)) {
      return;
    }
    for (int i = 0; i < index; i++) {
      if (redirects.get(i).from().fits(led)) {
        return;
      }
    }
    throw new IllegalArgumentException(
        "a redirect leads in a circle: "
            + rule.from()
            + " is also for "
            + rule.to()
            + ", where it sends clients");
  }

  public SiteRules withHeaders(List<HeaderRule> value) {
    return new SiteRules(value, redirects, access);
  }

  public SiteRules withRedirects(List<RedirectRule> value) {
    return new SiteRules(headers, value, access);
  }

  public SiteRules withAccess(List<AccessRule> value) {
    return new SiteRules(headers, redirects, value);
  }

  /// The result of a redirect.
  ///
  /// @param takesQuery true if the query of the request is appended to `location`
  public record Redirected(int status, String location, boolean takesQuery) {}

  /// Returns the redirect of a path; null if there is none.
  ///
  /// @param path canonical
  public @Nullable Redirected redirect(String path) {
    for (RedirectRule rule : redirects) {
      String target = rule.target(path);
      if (target != null) {
        return new Redirected(rule.status(), target, rule.takesQuery());
      }
    }
    return null;
  }

  /// Returns the fields of a reply without a file, each line with CRLF.
  ///
  /// @param path canonical
  public byte[] fields(String path) {
    return headers.isEmpty() ? new byte[0] : lines(List.of(path), false);
  }

  /// Returns the fields of a file and its 304, each line with CRLF.
  ///
  /// @param paths the requested path, and those under which the file can be requested; canonical
  public byte[] fieldsOfFile(List<String> paths) {
    return headers.isEmpty() ? new byte[0] : lines(paths, true);
  }

  private byte[] lines(List<String> paths, boolean file) {
    Map<String, String> lines = new LinkedHashMap<>();
    for (HeaderRule rule : headers) {
      if (paths.stream().anyMatch(rule.path()::fits)) {
        rule.fields()
            .forEach((name, value) -> lines.put(name.toLowerCase(Locale.ROOT), line(name, value)));
      }
    }
    StringBuilder text = new StringBuilder();
    lines.forEach((name, line) -> {
      if (file || !HeaderRule.OF_FILES.contains(name)) {
        text.append(line);
      }
    });
    return Latin1.bytes(text.toString());
  }

  private static String line(String name, String value) {
    return value.isEmpty() ? "" : name + ": " + value + "\r\n";
  }

  /// Returns a file's name without the extension of a precompressed file; null if it has none.
  private static @Nullable String plain(String file) {
    for (String each : CODED) {
      if (file.endsWith(each)) {
        return file.substring(0, file.length() - each.length());
      }
    }
    return null;
  }

  /// Returns the access rules of a reply without a file; null for none.
  ///
  /// @param requested canonical
  public @Nullable Guard guard(String requested) {
    return guardOfFile(List.of(requested), List::of);
  }

  /// Returns the access rules of a file; null for none.
  ///
  /// @param paths the requested path, the path of the file, and that of the precompressed file
  ///   sent; canonical
  /// @param spellings returns all paths under which a file can be requested
  public @Nullable Guard guardOfFile(List<String> paths, Function<String, List<String>> spellings) {
    if (access.isEmpty()) {
      return null;
    }
    Set<String> all = new LinkedHashSet<>();
    for (String path : paths) {
      for (String each = path; each != null; each = plain(each)) {
        all.addAll(spellings.apply(each));
      }
    }
    List<AccessRule> fitting = new ArrayList<>();
    for (AccessRule rule : access) {
      if (all.stream().anyMatch(rule::isFor)) {
        fitting.add(rule);
      }
    }
    return fitting.isEmpty() ? null : new Guard(fitting);
  }

  /// Returns all realms whose users have to sign in.
  public List<SignIn> signIns() {
    return new Guard(access).signIns();
  }
}
