package sluice.host.plugin;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;
import sluice.domain.Domain;
import sluice.domain.inside.Death;
import sluice.http.handlers.HttpInterruptlet;
import sluice.http.handlers.HttpReply;
import sluice.http.parse.HttpRequest;
import sluice.http.plugin.ViewExchange;
import sluice.http.plugin.ViewPlugin;
import sluice.loop.verdict.Judged;
import sluice.loop.verdict.Verdict;
import sluice.memory.View;

/// Executes a plug-in on the thread of one loop, as long as the plug-in is admitted and has not
/// exceeded its budget. All other requests are processed by the threads of its domain. Instances
/// are owned by the loop's thread, except for [#verdict].
///
/// The work of the plug-in is bounded. Its exceptions are not formatted, because this would execute
/// code of the plug-in. The CPU time and the memory that it uses are charged to its domain.
final class PluginPlace implements HttpInterruptlet, Judged {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final PluginLife plugin;
  private final ViewExchange exchange;
  private @Nullable Domain visited;

  /// Creates an instance for one loop. This method is called on the loop's thread.
  PluginPlace(PluginLife plugin) {
    this.plugin = plugin;
    this.exchange = new ViewExchange(Arena.ofAuto(), PluginAdmission.MOST_REQUEST_BYTES);
  }

  @Override
  public Verdict verdict() {
    return plugin.current().admission().verdict();
  }

  @Override
  public boolean handle(HttpRequest request, HttpReply reply) {
    PluginDomain now = plugin.current();
    ViewPlugin admitted = now.admission().admitted();
    Domain domain = now.domain();
    if (admitted == null
        || !domain.alive()
        || domain.isHeld()
        || !isPlain(request)
        || !exchange.begin(request)) {
      return false;
    }
    if (visited != domain) {
      domain.admit(Thread.currentThread());
      visited = domain;
    }
    boolean isAnswered;
    long begun = System.nanoTime();
    long bytes = THREADS.getCurrentThreadAllocatedBytes();
    try {
      isAnswered = answer(admitted, reply);
    } finally {
      exchange.end();
      domain.charge(System.nanoTime() - begun, THREADS.getCurrentThreadAllocatedBytes() - bytes);
    }
    return isAnswered;
  }

  private boolean answer(ViewPlugin admitted, HttpReply reply) {
    try {
      admitted.handle(exchange.request(), exchange.reply());
    } catch (Death e) {
      return false; // the domain has terminated
    } catch (Throwable e) { // code of the plug-in may throw anything
      plugin.failedOnLoop(e.getClass().getName());
      reply.status(500).text("500 Internal Server Error\n");
      return true;
    }
    reply.status(exchange.status());
    for (int i = 0; i < exchange.fields(); i++) {
      reply.field(exchange.name(i), exchange.value(i));
    }
    boolean hasBody = exchange.status() != 204 && exchange.status() != 304;
    if (hasBody) {
      reply.body(exchange.body(), 0, exchange.length());
    }
    return true;
  }

  /// Returns true if the path is in canonical form, so that the plug-in receives the same path on
  /// the loop's thread and on its own threads.
  private static boolean isPlain(HttpRequest request) {
    View view = request.view();
    int from = request.pathFrom();
    int to = request.pathTo();
    if (from == to || view.indexOf((byte) '%', from, to) >= 0) {
      return false;
    }
    int slash = view.indexOf((byte) '/', from, to);
    while (slash >= 0 && slash + 1 < to) {
      byte next = view.get(slash + 1);
      if (next == '/' || next == '.') {
        return false;
      }
      slash = view.indexOf((byte) '/', slash + 1, to);
    }
    return true;
  }
}
