package sluice.http.front;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Collects the targets named by the reply to an unsafe request in `Location` and
/// `Content-Location` ([RFC 9111](https://www.rfc-editor.org/rfc/rfc9111), 4.4). Targets on other
/// hosts are ignored, because this application is not authorized to invalidate their replies.
/// Stateless, so any thread may call it.
final class ChangedTargets {
  /// The maximum number of targets that a reply may invalidate. A longer list is treated as an
  /// attack.
  private static final int MOST = 16;

  private ChangedTargets() {}

  /// Returns the targets that the reply invalidates.
  ///
  /// @param host the host of the request
  /// @param target the path and query of the request
  /// @return paths and queries
  static List<String> of(ReplyHead head, String host, String target) {
    List<String> changed = new ArrayList<>();
    for (String name : List.of("location", "content-location")) {
      for (String reference : head.values(name)) {
        String resolved = resolve(reference, host, target);
        if (resolved != null && changed.size() < MOST) {
          changed.add(resolved);
        }
      }
    }
    return changed;
  }

  private static @Nullable String resolve(String reference, String host, String target) {
    try {
      URI given = new URI(reference);
      int query = target.indexOf('?');
      String path = query < 0 ? target : target.substring(0, query);
      if (reference.startsWith("?")) {
        return path + reference; // as RFC 3986, 5.2.2; resolve() follows the preceding RFC
      }
      URI resolved = new URI("http://" + host + path).resolve(given).normalize();
      String scheme = String.valueOf(resolved.getScheme()).toLowerCase(Locale.ROOT);
      boolean same =
          (scheme.equals("http") || scheme.equals("https"))
              && host.equalsIgnoreCase(resolved.getRawAuthority());
      if (!same) {
        return null;
      }
      String found = resolved.getRawPath();
      String asked = found == null || found.isEmpty() ? "/" : found;
      return resolved.getRawQuery() == null ? asked : asked + "?" + resolved.getRawQuery();
    } catch (URISyntaxException none) {
      return null;
    }
  }
}
