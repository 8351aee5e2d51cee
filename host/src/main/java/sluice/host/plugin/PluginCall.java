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
import sluice.http.handlers.BrokenBodyException;
import sluice.http.handlers.ClientGoneException;
import sluice.http.handlers.HttpMessage;
import sluice.http.handlers.HttpResponder;
import sluice.http.plugin.PluginReply;
import sluice.http.plugin.PluginRequest;
import sluice.http.plugin.StreamPlugin;
import sluice.loop.Loop;

/// A request that is answered by a plug-in. It is created and posted by the loop's thread. A thread
/// of the plug-in's domain creates the request object and the head of the reply. The reply is then
/// staged by [#run] on the loop's thread. At this time, a streamed reply has already been staged or
/// has been aborted.
///
/// The fields below `times` are owned by the thread that settles the call, and afterwards by the
/// loop's thread.
final class PluginCall extends PostedCall<PluginOutcome> implements Runnable {
  private static final byte[] NOTHING = {};
  private static final int MOST_BODY_BYTES = 1 << 20;
  private static final int MOST_CAUSES = 8;

  private final Plugin plugin;
  private final PluginDomain at;
  private final HttpMessage message;
  private final HttpResponder responder;
  private final PluginTimes times;

  /// The streamed reply, or null if the plug-in uses complete bodies.
  private final @Nullable PluginStream stream;

  private byte[] body = NOTHING;

  /// True if the plug-in has sent its reply or a part of its reply.
  private boolean isSent;

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
    this.stream = at.streams() == null ? null : new PluginStream(responder);
  }

  /// Returns the version of the plug-in that executes the call.
  PluginDomain at() {
    return at;
  }

  HttpMessage message() {
    return message;
  }

  Loop loop() {
    return times.loop();
  }

  /// Returns the value of [HttpResponder#progress].
  long progress() {
    return responder.progress();
  }

  /// Returns the value of [HttpResponder#waitsForClient].
  boolean waitsForClient() {
    return responder.waitsForClient();
  }

  // ---- execution in the domain --------------------------------------------------------------

  @Override
  protected PluginOutcome perform() throws Exception {
    StreamPlugin streams = at.streams();
    if (streams != null && stream != null) {
      streams.handle(request(NOTHING), message.bodyStream(), stream);
      return stream.complete()
          ? new PluginOutcome.Streamed()
          : new PluginOutcome.Failed("it returned without a reply");
    }
    byte[] whole = message.body();
    if (message.isStreamed()) { // the previous version of the plug-in streams bodies
      whole = message.bodyStream().readNBytes(MOST_BODY_BYTES + 1);
      if (whole.length > MOST_BODY_BYTES) {
        return new PluginOutcome.Broken(413);
      }
    }
    PluginReply reply = at.whole().handle(request(whole));
    return reply == null
        ? new PluginOutcome.Failed("it returned null")
        : new PluginOutcome.Replied(reply);
  }

  private PluginRequest request(byte[] whole) {
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
        whole);
  }

  @Override
  protected PluginOutcome failed(Throwable thrown) {
    try {
      if (!at.domain().alive()) {
        // The threads have been interrupted, so the exception is not meaningful.
        return PluginOutcome.Unserved.ENDED;
      }
      int status = brokenStatus(thrown);
      return status != 0
          ? new PluginOutcome.Broken(status)
          : new PluginOutcome.Failed(ThrownText.of(thrown));
    } catch (Death e) {
      return PluginOutcome.Unserved.ENDED;
    }
  }

  /// Returns the status of the reply if the exception was caused by the body of the request, or 0
  /// otherwise. The plug-in may have wrapped the exception.
  private static int brokenStatus(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < MOST_CAUSES; depth++) {
      if (cause instanceof BrokenBodyException broken) {
        return broken.status();
      }
      if (cause instanceof ClientGoneException) {
        return 400; // no client receives it
      }
      cause = cause.getCause();
    }
    return 0;
  }

  @Override
  protected PluginOutcome unserved(RuntimeException why) {
    return at.domain().alive() ? PluginOutcome.Unserved.BUSY : PluginOutcome.Unserved.ENDED;
  }

  // ---- sending the reply --------------------------------------------------------------------

  @Override
  protected void settled(PluginOutcome known) {
    if (known instanceof PluginOutcome.Streamed || (stream != null && !stream.take())) {
      isSent = true;
      tellCut(known);
    } else {
      switch (known) {
        case PluginOutcome.Replied(PluginReply reply) -> prepare(reply);
        case PluginOutcome.Broken(int status) -> refuse(status);
        case PluginOutcome.Failed(String why) -> fail(why);
        case PluginOutcome.Unserved reason -> body = plugin.refusal(reason, this, responder);
        case PluginOutcome.Streamed _ -> throw new AssertionError(known);
      }
    }
    loop().execute(this);
  }

  private void tellCut(PluginOutcome known) {
    switch (known) {
      case PluginOutcome.Failed(String why) ->
          plugin.tell(
              loop(), "cut", () -> "has not completed its reply to " + message + ": " + why);
      case PluginOutcome.Unserved reason -> plugin.tellCut(reason, this);
      case PluginOutcome.Broken _, PluginOutcome.Replied _, PluginOutcome.Streamed _ -> {}
    }
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

  private void refuse(int status) {
    responder.status(status).close();
    String why = status == 413 ? "is longer than 1 MiB" : "did not come whole";
    body = (status + ": the body " + why + "\n").getBytes(StandardCharsets.US_ASCII);
  }

  private void fail(String why) {
    plugin.tell(loop(), "failed", () -> "answers 500 to " + message + ": " + why);
    responder.status(500);
    body = "500 Internal Server Error\n".getBytes(StandardCharsets.US_ASCII);
  }

  /// Stages the reply on the loop's thread.
  @Override
  public void run() {
    times.remove(this);
    if (isSent) {
      return;
    }
    if (body.length <= HttpResponder.PIECE_BYTES) {
      responder.sendHere(body);
    } else {
      loop().slowPath().execute(this::sendSlowly);
    }
  }

  /// Sends a long reply on a thread that is allowed to wait for the client.
  private void sendSlowly() {
    try {
      responder.send(body);
    } catch (ClientGoneException e) {
      // The client has closed the connection.
    } catch (IOException e) {
      plugin.tell(loop(), "cut", () -> "was cut off in its reply to " + message);
    }
  }
}
