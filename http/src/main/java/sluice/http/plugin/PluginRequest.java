package sluice.http.plugin;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A copy of a request for a plug-in. It is only shared with the plug-in, which may retain it. Only
/// `body` can be modified.
///
/// @param method the method as it was sent, such as `GET`
/// @param path the path, percent-decoded and without dot segments, including the prefix of the
///   plug-in
/// @param query the query as it was sent, without the leading `?`, or null if there is none
/// @param headers the header values by name; names are in lower case, and values are in the order
///   in which they were received
/// @param body the body, which is empty if there is none; a body of more than 1 MiB is answered 413
@SuppressWarnings("ArrayRecordComponent") // only the plug-in has it
public record PluginRequest(
    String method,
    String path,
    @Nullable String query,
    Map<String, List<String>> headers,
    byte[] body) {

  /// Returns the first value of a header.
  ///
  /// @param name the name in lower case
  /// @return the value, or null if the request does not contain the header
  public @Nullable String header(String name) {
    List<String> values = headers.get(name);
    return values == null ? null : values.getFirst();
  }
}
