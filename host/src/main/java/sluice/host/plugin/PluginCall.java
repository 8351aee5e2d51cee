package sluice.host.plugin;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.Death;
import sluice.host.life.AbsentModules;
import sluice.http.plugin.HttpPlugin;
import sluice.http.plugin.PluginReply;
import sluice.http.plugin.PluginRequest;

/// One request in the hands of a plug-in. A thread of the slow path makes it and waits; a thread of
/// the plug-in's domain runs it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | outcome | domain's thread, ending thread, or caller | volatile | compareAndSet from null |
/// | runner | domain's thread | under the monitor | under the monitor |
final class PluginCall {
  private static final int TEXT_LENGTH = 500;

  private final PluginRequest request;
  private final AtomicReference<@Nullable PluginOutcome> outcome = new AtomicReference<>();
  private final CountDownLatch settled = new CountDownLatch(1);
  private @Nullable Thread runner;

  PluginCall(PluginRequest request) {
    this.request = request;
  }

  boolean isSettled() {
    return outcome.get() != null;
  }

  /// Without effect if the outcome is known already.
  void settle(PluginOutcome value) {
    if (outcome.compareAndSet(null, value)) {
      settled.countDown();
    }
  }

  /// By the caller: waits for the outcome, which is `LATE` when the time is over. The plug-in's
  /// thread is then interrupted, so that a call that only waits ends.
  ///
  /// @param aside runs the interrupt, which may come to code of the plug-in
  PluginOutcome await(Duration atMost, Consumer<Runnable> aside) throws InterruptedException {
    try {
      if (!settled.await(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
        settle(PluginOutcome.Unserved.LATE);
      }
    } finally {
      settle(PluginOutcome.Unserved.LATE); // the caller itself may have been interrupted
    }
    PluginOutcome known = outcome.get();
    if (known == PluginOutcome.Unserved.LATE) {
      aside.accept(this::interrupt);
    }
    return known == null ? PluginOutcome.Unserved.LATE : known;
  }

  private synchronized void interrupt() {
    if (runner != null) {
      runner.interrupt();
    }
  }

  /// By a thread of the domain.
  void run(HttpPlugin plugin) {
    synchronized (this) {
      if (isSettled()) {
        return;
      }
      runner = Thread.currentThread();
    }
    try {
      settle(invoke(plugin));
    } finally {
      synchronized (this) {
        runner = null;
        Thread.interrupted(); // an interrupt of this call is not the next call's
      }
    }
  }

  private PluginOutcome invoke(HttpPlugin plugin) {
    try {
      PluginReply reply = plugin.handle(request);
      return reply == null
          ? new PluginOutcome.Failed("it returned null")
          : new PluginOutcome.Replied(reply);
    } catch (Death e) {
      throw e;
    } catch (Throwable e) {
      return new PluginOutcome.Failed(text(e));
    }
  }

  /// What was thrown and where, in one line. Runs code of the plug-in, so only a thread that ends
  /// with its domain may call.
  static String text(@Nullable Throwable thrown) {
    if (thrown == null) {
      return "nothing is known of it";
    }
    try {
      String absent = AbsentModules.why(thrown);
      if (absent != null) {
        return thrown + ": " + absent + ". Fix: " + AbsentModules.FIX;
      }
      StackTraceElement[] stack = thrown.getStackTrace();
      String text = thrown + (stack.length == 0 ? "" : " at " + stack[0]);
      return text.length() > TEXT_LENGTH ? text.substring(0, TEXT_LENGTH) + "…" : text;
    } catch (Death e) {
      throw e;
    } catch (Throwable e) { // its own code may throw anything
      return thrown.getClass().getName();
    }
  }
}
