package sluice.http.plugin;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The reply of a plug-in. Immutable: the constructor copies headers and body in the plug-in's own
/// thread, so the server never calls a collection of the plug-in, nor sends bytes that change.
///
/// The server adds Date, Content-Length and Connection, and leaves the body out of replies to HEAD.
///
/// @param status 200 to 599; a reply with 204 or 304 has no body
/// @param headers values by name, in ISO-8859-1 without control characters
/// @param body sent as it is
@SuppressWarnings("ArrayRecordComponent") // copied when it comes and when it goes
public record PluginReply(int status, Map<String, List<String>> headers, byte[] body) {
  /// Copies the values.
  ///
  /// @throws IllegalArgumentException if the status is not the status of a reply
  public PluginReply {
    if (status < 200 || status > 599) {
      throw new IllegalArgumentException("not the status of a reply: " + status);
    }
    Map<String, List<String>> copy = new LinkedHashMap<>();
    // As an array of strings: a list may hold objects of any type, whatever its declaration says.
    headers.forEach((name, values) -> copy.put(name, List.of(values.toArray(new String[0]))));
    headers = Map.copyOf(copy);
    body = body.clone();
  }

  /// Returns a copy of the body.
  @Override
  public byte[] body() {
    return body.clone();
  }

  /// Returns a reply with status 200 and text in UTF-8.
  public static PluginReply text(String text) {
    return of(200, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
  }

  /// Returns a reply with a body and its Content-Type.
  public static PluginReply of(int status, String contentType, byte[] body) {
    return new PluginReply(status, Map.of("Content-Type", List.of(contentType)), body);
  }

  /// Returns a copy with one more value of a header, after the existing values of that name.
  public PluginReply withHeader(String name, String value) {
    Map<String, List<String>> more = new LinkedHashMap<>(headers);
    List<String> values = new ArrayList<>(more.getOrDefault(name, List.of()));
    values.add(value);
    more.put(name, values);
    return new PluginReply(status, more, body);
  }
}
