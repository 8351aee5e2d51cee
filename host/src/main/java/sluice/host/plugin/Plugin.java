package sluice.host.plugin;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import sluice.domain.portal.PostedCalls.Posted;
import sluice.http.handlers.HttpAsyncHandler;
import sluice.http.handlers.HttpMessage;
import sluice.http.handlers.HttpResponder;
import sluice.loop.Loop;

/// The handler for the route of one plug-in, which posts each request to the domain that currently
/// runs the plug-in. It is used by all loops, each on its own thread.
///
/// A request and its reply are each copied once. The loop's thread copies the received bytes, and a
/// thread of the domain creates the request object and the bytes of the reply. A streamed body is
/// copied a second time between the loop and a thread of the domain.
final class Plugin implements HttpAsyncHandler {
  private final PluginLife life;
  private final Map<Loop, PluginTimes> times = new ConcurrentHashMap<>();

  Plugin(PluginLife life) {
    this.life = life;
  }

  PluginLife life() {
    return life;
  }

  @Override
  public boolean streamsBodies() {
    return life.current().streams() != null;
  }

  @Override
  public void take(HttpMessage message, HttpResponder responder, Loop loop) {
    PluginTimes its = times.computeIfAbsent(loop, of -> new PluginTimes(this, of, life.limit()));
    while (true) {
      PluginDomain now = life.current();
      PluginCall call = new PluginCall(this, now, message, responder, its);
      Posted posted = now.domain().isHeld() ? null : now.calls().post(call);
      switch (posted) {
        case TAKEN -> {
          its.add(call);
          return;
        }
        case RETIRED -> {
          if (now == life.current()) {
            refuse(PluginOutcome.Unserved.RETIRED, call, responder);
            return;
          }
        }
        case FULL -> {
          refuse(PluginOutcome.Unserved.BUSY, call, responder);
          return;
        }
        case ENDED -> {
          refuse(PluginOutcome.Unserved.ENDED, call, responder);
          return;
        }
        case null -> {
          refuse(PluginOutcome.Unserved.OVER_BUDGET, call, responder);
          return;
        }
      }
    }
  }

  private void refuse(PluginOutcome.Unserved reason, PluginCall call, HttpResponder responder) {
    responder.sendHere(refusal(reason, call, responder));
  }

  /// Prepares and logs a 503 reply to a request that is not answered by the plug-in.
  ///
  /// @return the body of the reply
  byte[] refusal(PluginOutcome.Unserved reason, PluginCall call, HttpResponder responder) {
    tell(call.loop(), reason.name(), () -> "answers 503: " + why(reason, call));
    responder
        .status(503)
        .field("Retry-After", "1")
        .field("Content-Type", "text/plain; charset=utf-8");
    return "503 Service Unavailable\n".getBytes(StandardCharsets.US_ASCII);
  }

  /// Logs a failed request on a thread that is allowed to wait for the log.
  void tell(Loop loop, String kind, Supplier<String> line) {
    life.log().tell(kind, line, loop.slowPath());
  }

  /// Logs that a reply was started but could not be completed.
  void tellCut(PluginOutcome.Unserved reason, PluginCall call) {
    String why =
        reason == PluginOutcome.Unserved.LATE
            ? "nothing was read or written" + within()
            : why(reason, call);
    tell(call.loop(), reason.name(), () -> "cuts off its reply to " + call.message() + ": " + why);
  }

  private String within() {
    return " within " + life.limit().toSeconds() + " s";
  }

  private String why(PluginOutcome.Unserved reason, PluginCall call) {
    return switch (reason) {
      case OVER_BUDGET -> life.overBudget();
      case BUSY -> life.busy(call.at());
      case LATE -> "no reply to " + call.message() + within();
      case ENDED, RETIRED -> "its domain has ended: " + life.current().domain().endReason();
    };
  }

  /// Reports a call that did not return after it had been interrupted. This method is called on the
  /// thread of a loop.
  void hangs(PluginCall call) {
    life.hangs(call.at(), call.message().toString());
  }
}
