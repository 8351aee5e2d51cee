package sluice.http.rules;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import sluice.http.reply.ReplyFields;

/// Fields that the replies of some paths have. Immutable: any thread may use it.
///
/// They are on every reply of the path, also on 304, on redirects and on refusals; `Cache-Control`
/// and `Expires`, which say how long a file may be kept, only on a file or its 304. Of several
/// values for one name, that of the last rule counts; an empty one takes the field away.
///
/// @param path which paths; it is compared with the requested path and with that of the file that
///   is sent, of a stand-in ([sluice.http.site.Site#tries]) with the latter alone
/// @param fields value by name
public record HeaderRule(PathPattern path, Map<String, String> fields) {
  /// What tells clients how long a file may be kept.
  static final Set<String> OF_FILES = Set.of("cache-control", "expires");

  /// What the server knows better.
  private static final Set<String> OWN =
      Set.of(
          "accept-ranges",
          "content-encoding",
          "content-range",
          "content-type",
          "etag",
          "last-modified",
          "location",
          "trailer",
          "www-authenticate");

  public HeaderRule {
    fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    fields.forEach(HeaderRule::check);
  }

  /// @throws IllegalArgumentException when a field of this name and value cannot be sent
  public static void check(String name, String value) {
    ReplyFields.check(name, value);
    if (OWN.contains(name.toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException("the server sets " + name + " itself");
    }
  }
}
