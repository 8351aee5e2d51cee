package sluice.host.plugin;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.Death;
import sluice.domain.portal.PostedCall;
import sluice.http.handlers.ClientGoneException;
import sluice.http.handlers.HttpMessage;
import sluice.http.handlers.HttpResponder;
import sluice.http.plugin.PluginReply;
import sluice.http.plugin.PluginRequest;
import sluice.loop.Loop;

/// One request in the hands of a plug-in. The loop's thread makes and posts it; a thread of the
/// plug-in's domain makes the request that the plug-in sees, and the head of its reply; [#run], on
/// the loop's thread again, stages that.
///
/// The fields below `times` are those of the thread that settles the call, then of the loop's.
final class PluginCall extends PostedCall<PluginOutcome> implements Runnable {
  private static final byte[] NOTHING = {};

  private final Plugin plugin;
  private final PluginDomain at;
  private final HttpMessage message;
  private final HttpResponder responder;
  private final PluginTimes times;
  private byte[] body = NOTHING;

  PluginCall(
      Plugin plugin,
      PluginDomain at,
      HttpMessage message,
      HttpResponder responder,
      PluginTimes times) {
    this.plugin = plugin;
    this.at = at;
    this.message = message;
    this.responder = responder;
    this.times = times;
  }

  /// The version of the plug-in that it was given to.
  PluginDomain at() {
    return at;
  }

  HttpMessage message() {
    return message;
  }

  Loop loop() {
    return times.loop();
  }

  // ---- in the domain ------------------------------------------------------------------------

  @Override
  protected PluginOutcome perform() throws Exception {
    PluginReply reply = at.plugin().handle(request());
    return reply == null
        ? new PluginOutcome.Failed("it returned null")
        : new PluginOutcome.Replied(reply);
  }

  private PluginRequest request() {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (String header : new TreeSet<>(message.headerNames())) {
      headers.put(header, List.copyOf(message.headers(header)));
    }
    @Nullable String path = message.path();
    return new PluginRequest(
        message.methodName(),
        path == null ? message.rawPath() : path,
        message.query(),
        Map.copyOf(headers),
        message.body());
  }

  @Override
  protected PluginOutcome failed(Throwable thrown) {
    try {
      return !at.domain().alive() // so its threads are interrupted
          ? PluginOutcome.Unserved.ENDED
          : new PluginOutcome.Failed(ThrownText.of(thrown));
    } catch (Death e) {
      return PluginOutcome.Unserved.ENDED;
    }
  }

  @Override
  protected PluginOutcome unserved(RuntimeException why) {
    return at.domain().alive() ? PluginOutcome.Unserved.BUSY : PluginOutcome.Unserved.ENDED;
  }

  // ---- the way back -------------------------------------------------------------------------

  @Override
  protected void settled(PluginOutcome known) {
    switch (known) {
      case PluginOutcome.Replied(PluginReply reply) -> prepare(reply);
      case PluginOutcome.Failed(String why) -> fail(why);
      case PluginOutcome.Unserved reason -> body = plugin.refusal(reason, this, responder);
    }
    loop().execute(this);
  }

  private void prepare(PluginReply reply) {
    try {
      responder.status(reply.status());
      for (Map.Entry<String, List<String>> header : reply.headers().entrySet()) {
        for (String value : header.getValue()) {
          responder.field(header.getKey(), value);
        }
      }
      body = reply.status() == 204 || reply.status() == 304 ? NOTHING : reply.body();
    } catch (IllegalArgumentException e) {
      responder.reset();
      fail("its reply cannot be sent: " + e.getMessage());
    }
  }

  private void fail(String why) {
    plugin.tell(loop(), "failed", () -> "answers 500 to " + message + ": " + why);
    responder.status(500);
    body = "500 Internal Server Error\n".getBytes(StandardCharsets.US_ASCII);
  }

  /// On the loop's thread.
  @Override
  public void run() {
    times.remove(this);
    if (body.length <= HttpResponder.PIECE_BYTES) {
      responder.sendHere(body);
    } else {
      loop().slowPath().execute(this::sendSlowly);
    }
  }

  /// By a thread that waits while the client reads.
  private void sendSlowly() {
    try {
      responder.send(body);
    } catch (ClientGoneException e) {
      // Nothing waits for the rest.
    } catch (IOException e) {
      plugin.tell(loop(), "cut", () -> "was cut off in its reply to " + message);
    }
  }
}
