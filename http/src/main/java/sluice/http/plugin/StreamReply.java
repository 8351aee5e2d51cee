package sluice.http.plugin;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;

/// Takes the reply of a [StreamPlugin], once. Threads of the plug-in may call; the server
/// implements it.
public interface StreamReply {
  /// Begins a reply whose body has an unknown length: it is sent in chunks, or to HTTP/1.0 until
  /// the connection ends.
  ///
  /// The stream blocks while the client reads more slowly than the plug-in writes, and throws when
  /// the client has gone. Flushing sends the bytes written. The reply is complete when the plug-in
  /// has returned; closing the stream only stops further writes.
  ///
  /// @param status 200 to 599, but not 204 or 304
  /// @param headers values by name, in ISO-8859-1 without control characters
  /// @throws IOException if the server has answered, since the call took too long
  /// @throws IllegalArgumentException if the status or a header cannot be sent
  /// @throws IllegalStateException if the reply was begun before
  OutputStream begin(int status, Map<String, List<String>> headers) throws IOException;

  /// Begins a reply with a body of known length; see [#begin(int, Map)].
  ///
  /// @param length in bytes, not negative, 0 for the statuses 204 and 304: writing more throws, and
  ///   ending before cuts the connection off
  OutputStream begin(int status, Map<String, List<String>> headers, long length) throws IOException;

  /// Sends a whole reply.
  ///
  /// @throws IOException as the methods of a stream
  default void send(PluginReply reply) throws IOException {
    boolean hasBody = reply.status() != 204 && reply.status() != 304;
    byte[] body = hasBody ? reply.body() : new byte[0];
    try (OutputStream out = begin(reply.status(), reply.headers(), body.length)) {
      out.write(body);
    }
  }
}
