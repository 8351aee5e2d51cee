package sluice.http.rules;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import sluice.http.reply.ReplyFields;

/// Header fields for the replies of some paths. Immutable: any thread may use it.
///
/// They are on every reply of the path, including 304, redirects and refusals. `Cache-Control` and
/// `Expires`, which say how long a file may be kept, are only on a file or its 304. If several
/// rules have a value for one name, the last rule wins; an empty value removes the field.
///
/// @param path compared with the requested path and with the path of the file that is sent; for a
///   stand-in ([sluice.http.site.Site#tries]) only with the latter
/// @param fields value by name
public record HeaderRule(PathPattern path, Map<String, String> fields) {
  /// The fields that tell clients how long a file may be kept.
  static final Set<String> OF_FILES = Set.of("cache-control", "expires");

  /// The fields that the server sets itself.
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

  /// Checks a field.
  ///
  /// @throws IllegalArgumentException if a field of this name and value cannot be sent
  public static void check(String name, String value) {
    ReplyFields.check(name, value);
    if (OWN.contains(name.toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException("the server sets " + name + " itself");
    }
  }
}
