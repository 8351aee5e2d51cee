package sluice.http.plugin;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sluice.http.parse.HttpRequest;

/// The server's side of a request and its reply, which it lends to a [ViewPlugin] again and again.
/// Owned by the thread that creates it. Nothing is allocated between [#begin] and [#end], except
/// for a body that is longer than all before.
///
/// A plug-in gets no reference to this object, and its references to a request or reply are invalid
/// after it has returned. The bytes of the request are a copy, so the plug-in cannot reach the
/// connection's other requests, which are stored beside it in the receive buffer.
public final class ViewExchange {
  private final ViewRequest request;
  private final ViewReply reply;

  /// @param arena allocates the memory for requests
  /// @param mostBytes the greatest length of a request, body included
  public ViewExchange(Arena arena, int mostBytes) {
    Thread owner = Thread.currentThread();
    request = new ViewRequest(arena.allocate(mostBytes, Long.BYTES), owner);
    reply = new ViewReply(owner);
  }

  /// Begins with a request that a loop has received. Its path has to be canonical as it was sent.
  ///
  /// @return false if it is too long: nothing has begun
  public boolean begin(HttpRequest from) {
    boolean fits = request.begin(from);
    if (fits) {
      reply.begin();
    }
    return fits;
  }

  /// Returns the request that has begun.
  public ViewRequest request() {
    return request;
  }

  /// Returns the reply to it.
  public ViewReply reply() {
    return reply;
  }

  /// Takes both away from the plug-in; the reply can be read until the next one begins.
  public void end() {
    request.end();
    reply.end();
  }

  /// Returns the status of the reply.
  public int status() {
    return reply.status();
  }

  /// Returns the number of fields of the reply; before [#end].
  public int fields() {
    return reply.fields();
  }

  /// Returns the name of a field; before [#end].
  public String name(int field) {
    return reply.name(field);
  }

  /// Returns the value of a field; before [#end].
  public String value(int field) {
    return reply.value(field);
  }

  /// Returns the body, of which [#length] bytes are valid.
  public byte[] body() {
    return reply.body();
  }

  /// Returns the number of bytes of the body.
  public int length() {
    return reply.length();
  }

  /// Calls a plug-in in a thread of its domain, and returns its reply.
  public static PluginReply answer(ViewPlugin plugin, PluginRequest request) throws Exception {
    try (Arena arena = Arena.ofConfined()) {
      int bytes = Math.toIntExact(ViewRequest.bytes(request));
      ViewExchange exchange = new ViewExchange(arena, bytes);
      exchange.request.begin(request);
      exchange.reply.begin();
      try {
        plugin.handle(exchange.request, exchange.reply);
        return exchange.copy();
      } finally {
        exchange.end();
      }
    }
  }

  private PluginReply copy() {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (int i = 0; i < fields(); i++) {
      headers.computeIfAbsent(name(i), _ -> new ArrayList<>()).add(value(i));
    }
    return new PluginReply(status(), headers, Arrays.copyOf(body(), length()));
  }
}
