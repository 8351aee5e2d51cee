package sluice.http.plugin;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A request, copied for a plug-in. Only the plug-in has it, and it may keep it; only `body` can be
/// changed.
///
/// @param method such as `GET`, as it was sent
/// @param path percent-decoded, without dot segments, with the prefix of the plug-in
/// @param query as it was sent, without its `?`; null if there is none
/// @param headers values by name; names are in lower case, values in the order received
/// @param body empty if there is none; up to 1 MiB, since a longer one is answered 413
@SuppressWarnings("ArrayRecordComponent") // only the plug-in has it
public record PluginRequest(
    String method,
    String path,
    @Nullable String query,
    Map<String, List<String>> headers,
    byte[] body) {

  /// Returns the first value of a header.
  ///
  /// @param name in lower case
  /// @return null if the request does not have it
  public @Nullable String header(String name) {
    List<String> values = headers.get(name);
    return values == null ? null : values.getFirst();
  }
}
