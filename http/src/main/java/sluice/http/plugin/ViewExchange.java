package sluice.http.plugin;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sluice.http.parse.HttpRequest;

/// A request and its reply, lent to a [ViewPlugin] again and again: the server's end of both. Owned
/// by the thread that makes it. Without allocation between [#begin] and [#end], but for a body that
/// is longer than all before.
///
/// A plug-in gets no reference to this, and what it keeps of a request or reply is dead once it has
/// returned. The bytes of the request are a copy: other requests of the connection, which lie
/// beside it where they were received, are not in reach.
public final class ViewExchange {
  private final ViewRequest request;
  private final ViewReply reply;

  /// @param arena has the bytes of requests
  /// @param mostBytes of a request, its body included
  public ViewExchange(Arena arena, int mostBytes) {
    Thread owner = Thread.currentThread();
    request = new ViewRequest(arena.allocate(mostBytes, Long.BYTES), owner);
    reply = new ViewReply(owner);
  }

  /// Begins with a request that a loop has received. Its path is to be canonical as it was sent.
  ///
  /// @return false if it is too long: nothing has begun
  public boolean begin(HttpRequest from) {
    boolean fits = request.begin(from);
    if (fits) {
      reply.begin();
    }
    return fits;
  }

  /// The request that has begun.
  public ViewRequest request() {
    return request;
  }

  /// The reply to it.
  public ViewReply reply() {
    return reply;
  }

  /// Takes both away from the plug-in; the reply can be read until the next begins.
  public void end() {
    request.end();
    reply.end();
  }

  /// The status of the reply.
  public int status() {
    return reply.status();
  }

  /// How many fields the reply has; before [#end].
  public int fields() {
    return reply.fields();
  }

  /// The name of a field; before [#end].
  public String name(int field) {
    return reply.name(field);
  }

  /// The value of a field; before [#end].
  public String value(int field) {
    return reply.value(field);
  }

  /// The body, of which [#length] bytes count.
  public byte[] body() {
    return reply.body();
  }

  /// Bytes of the body.
  public int length() {
    return reply.length();
  }

  /// Has a plug-in answer in a thread of its domain.
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
