package sluice.http.plugin;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The reply of a plug-in. Immutable. The constructor copies the headers and the body on the
/// plug-in's own thread, so that the server never calls a collection of the plug-in or sends bytes
/// that are modified concurrently.
///
/// The server adds Date, Content-Length and Connection, and omits the body in replies to HEAD.
///
/// @param status the status from 200 to 599; a reply with 204 or 304 has no body
/// @param headers the header values by name, in ISO-8859-1 without control characters
/// @param body the body, which is sent without modification
@SuppressWarnings("ArrayRecordComponent") // copied when it comes and when it goes
public record PluginReply(int status, Map<String, List<String>> headers, byte[] body) {
  /// Copies the values.
  ///
  /// @throws IllegalArgumentException if the status is not valid for a reply
  public PluginReply {
    if (status < 200 || status > 599) {
      throw new IllegalArgumentException("not the status of a reply: " + status);
    }
    Map<String, List<String>> copy = new LinkedHashMap<>();
    // Uses an array of strings, because a list may contain objects of any type regardless of its
    // declaration.
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

  /// Returns a copy of this reply with an additional value of a header, after the existing values.
  public PluginReply withHeader(String name, String value) {
    Map<String, List<String>> more = new LinkedHashMap<>(headers);
    List<String> values = new ArrayList<>(more.getOrDefault(name, List.of()));
    values.add(value);
    more.put(name, values);
    return new PluginReply(status, more, body);
  }
}
