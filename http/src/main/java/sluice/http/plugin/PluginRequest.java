package sluice.http.plugin;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A request, copied for a plug-in. The plug-in alone has it, and may keep it; only `body` can be
/// changed.
///
/// @param method such as `GET`, as it was sent
/// @param path percent-decoded, without dot segments, with the prefix of the plug-in
/// @param query as it was sent, without its `?`; null when there is none
/// @param headers values by name; names are in lower case, values in the order in which they came
/// @param body empty when there is none; of up to 1 MiB, since a longer one is answered 413
@SuppressWarnings("ArrayRecordComponent") // the plug-in alone has it
public record PluginRequest(
    String method,
    String path,
    @Nullable String query,
    Map<String, List<String>> headers,
    byte[] body) {

  /// The first value of a header.
  ///
  /// @param name in lower case
  /// @return null when the request does not have it
  public @Nullable String header(String name) {
    List<String> values = headers.get(name);
    return values == null ? null : values.getFirst();
  }
}
