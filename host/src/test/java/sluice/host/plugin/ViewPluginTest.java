package sluice.host.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.http.plugin.ViewPlugin;
import sluice.http.plugin.ViewReply;
import sluice.http.plugin.ViewRequest;
import sluice.loop.HandlerGuard;
import sluice.loop.verdict.Verdict;
import sluice.memory.View;
import sluice.testbase.Await;

/// Tests plug-ins over views. They give the same replies on the loop's thread and on threads of
/// their domain, and hostile plug-ins do not hold up the loop.
@Timeout(240)
final class ViewPluginTest extends PluginServerRig {
  // ---- plug-ins -----------------------------------------------------------------------------

  /// A plug-in that returns everything it can read from the request.
  public static class Echo implements ViewPlugin {
    @Override
    public void handle(ViewRequest request, ViewReply reply) {
      View view = request.view();
      int from = request.queryFrom();
      byte first = from < request.queryTo() ? view.get(from) : 0;
      if (first == 't') {
        throw new IllegalStateException("out of luck");
      }
      if (first == 's') {
        reply.field("X-A", "b\r\nX-C: d");
      }
      if (first == 'm') {
        for (int i = 0; i < 17; i++) {
          reply.put(new byte[1024]);
        }
      }
      if (first == 'e') {
        reply.status(204).field("X-Empty", "yes");
        return;
      }
      reply.status(201).field("X-Echo", "one").field("X-Echo", "two");
      reply.put(view, request.methodFrom(), request.methodTo()).put((byte) ' ');
      reply
          .put(view, request.pathFrom(), request.pathTo())
          .put((byte) (request.hasQuery() ? 0x3f : 0x2d));
      reply.put(view, from, request.queryTo()).text(" ünïcode ").number(Long.MIN_VALUE);
      int line = request.findLine("x-two", 0);
      for (int i = 0; i < 3 && line >= 0; i++) {
        reply.text(" [").put(view, request.valueFrom(line), request.valueTo(line)).text("]");
        line = request.findLine("X-Two", line + 1);
      }
      reply.text(" ").put(view, request.bodyFrom(), request.bodyTo());
    }
  }

  /// The same plug-in with a loop that has no bound, although the loop never runs.
  public static final class EchoOnThreads extends Echo {
    @Override
    public void handle(ViewRequest request, ViewReply reply) {
      for (int i = 1; request.bodyTo() == i; i = -i) {
        reply.status(500);
      }
      super.handle(request, reply);
    }
  }

  /// A plug-in that runs for as long as the query string says.
  public static final class Loops implements ViewPlugin {
    private volatile boolean isOver;

    @Override
    public void handle(ViewRequest request, ViewReply reply) {
      while (request.queryFrom() < request.queryTo() && !isOver) {
        Thread.onSpinWait();
      }
    }
  }

  /// A plug-in with a bound that is large.
  public static final class Large implements ViewPlugin {
    @Override
    public void handle(ViewRequest request, ViewReply reply) {
      int sum = 0;
      for (int i = 0; i < 10_000; i++) {
        for (int j = 0; j < 1_000; j++) {
          sum += i ^ j;
        }
      }
      reply.number(sum);
    }
  }

  /// A plug-in that uses a class whose initializer does not end.
  public static final class Hangs implements ViewPlugin {
    @Override
    public void handle(ViewRequest request, ViewReply reply) {
      if (request.queryTo() > request.queryFrom()) {
        reply.number(Endless.number);
      }
      reply.text("fine");
    }
  }

  /// A class whose initializer does not end.
  public static final class Endless {
    static int number = hang();

    private Endless() {}

    private static int hang() {
      int turns = 1;
      while (turns != 0) {
        turns = turns * 3 | 1;
      }
      return turns;
    }
  }

  /// A plug-in that keeps the borrowed objects and uses them in a thread of its own.
  public static final class Keeps implements ViewPlugin {
    private static volatile @Nullable ViewRequest request;
    private static volatile @Nullable ViewReply reply;
    private static volatile @Nullable View view;
    private static volatile int refused;
    private static volatile int taken;

    /// Starts the thread.
    public Keeps() {
      Thread.ofPlatform().daemon().start(Keeps::use);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private static void use() {
      while (true) {
        ViewReply kept = reply;
        View bytes = view;
        ViewRequest of = request;
        if (kept == null || bytes == null || of == null) {
          Thread.onSpinWait();
          continue;
        }
        try {
          kept.text("!").put(bytes, 0, 1);
          taken++;
        } catch (RuntimeException e) {
          refused++;
        }
        try {
          taken += bytes.get(0) + of.findLine("host", 0);
        } catch (RuntimeException e) {
          refused++;
        }
      }
    }

    @Override
    public void handle(ViewRequest lent, ViewReply out) {
      request = lent;
      reply = out;
      view = lent.view();
      out.number(taken).text(refused > 1000 ? " refused" : "");
    }
  }

  /// A plug-in that throws an exception whose methods throw too.
  public static final class Throws implements ViewPlugin {
    @Override
    public void handle(ViewRequest request, ViewReply reply) {
      throw new Ugly();
    }
  }

  /// An exception that throws when it is asked for its message or its text.
  public static final class Ugly extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// Creates the exception without a stack trace.
    public Ugly() {
      super("ugly", null, false, false);
    }

    @Override
    public String getMessage() {
      throw new IllegalStateException("was asked");
    }

    @Override
    public String toString() {
      throw new IllegalStateException("was asked");
    }
  }

  /// A plug-in with a thread that uses all the processor time it gets.
  public static final class Greedy implements ViewPlugin {
    private static volatile int turns;

    /// Starts the thread.
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    public Greedy() {
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            while (true) {
              turns++;
            }
          });
    }

    @Override
    public void handle(ViewRequest request, ViewReply reply) {
      reply.text("fine");
    }
  }

  private Path views(String name, Class<?>... types) throws IOException {
    return jar(name, ViewPlugin.class, types);
  }

  private HandlerGuard guard(String prefix) {
    return server().http().guards().stream()
        .filter(each -> each.name().equals(prefix))
        .findFirst()
        .orElseThrow();
  }

  private void awaitAdmission(String prefix) {
    Await.until(
        "the verdict",
        () ->
            guard(prefix).verdict().kind() == Verdict.Kind.VERIFIED
                || messages.toString().contains(prefix + " answers on threads"));
    assertThat(guard(prefix).verdict().kind())
        .as(messages.toString())
        .isEqualTo(Verdict.Kind.VERIFIED);
  }

  // ---- tests --------------------------------------------------------------------------------

  @Test
  void aBoundedPluginAnswersOnTheLoopAndIsCharged() throws Exception {
    start("plugin", "/api=" + views("api", Echo.class));
    awaitAdmission("/api");
    for (int i = 0; i < 200; i++) {
      assertThat(get("/api?a")).startsWith("201 GET /api?a ");
    }
    assertThat(threads("api")).as("no thread of the domain has answered").isZero();
    assertThat(domain("api").stat().cpuNanos()).isGreaterThan(0);
    assertThat(domain("api").stat().allocatedBytes()).isGreaterThanOrEqualTo(0);
    assertThat(messages).isEmpty();
    // A request that is too long to be handled on the loop.
    assertThat(ask("GET /api HTTP/1.1\r\nX-Two: " + "b".repeat(5000) + "\r\n", ""))
        .contains("[" + "b".repeat(5000) + "]");
    assertThat(threads("api")).isEqualTo(1);
  }

  @Test
  void allPathsAnswerAlike() throws Exception {
    start(
        "plugin",
        "/fast=" + views("fast", Echo.class),
        "plugin",
        "/slow=" + views("slow", EchoOnThreads.class, Echo.class));
    awaitAdmission("/fast");
    awaitMessage("/slow answers on threads of its domain");
    assertThat(guard("/slow").verdict()).isEqualTo(Verdict.TRANSLATED);
    List<String[]> requests = new ArrayList<>();
    for (String query :
        List.of("", "?", "?q=1", "?throw", "?split", "?many", "?empty", "/%C3%A9/x")) {
      requests.add(new String[] {"GET /P" + query + " HTTP/1.1\r\n", ""});
    }
    requests.add(new String[] {"HEAD /P HTTP/1.1\r\n", ""});
    requests.add(new String[] {"HEAD /P?empty HTTP/1.1\r\n", ""});
    requests.add(
        new String[] {"GET /P/ HTTP/1.1\r\nX-TWO: 1\r\nx-two: \u00e9\r\nX-Three: 3\r\n", ""});
    requests.add(new String[] {"POST /P HTTP/1.1\r\nContent-Length: 5\r\n", "b\u00f6dy!"});
    requests.add(new String[] {"PUT /P HTTP/1.1\r\nContent-Length: 20000\r\n", "x".repeat(20_000)});
    requests.add(
        new String[] {
          "POST /P HTTP/1.1\r\nTransfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n"
        });
    for (String[] each : requests) {
      String fast = ask(each[0].replace("/P", "/fast"), each[1]);
      String slow = ask(each[0].replace("/P", "/slow"), each[1]);
      assertThat(normal(slow).replace("/slow", "/fast")).as(each[0]).isEqualTo(normal(fast));
    }
    assertThat(threads("slow")).isPositive();
  }

  /// Returns the reply without its date and with its header fields sorted.
  private static String normal(String reply) {
    int end = reply.indexOf("\r\n\r\n");
    List<String> head =
        reply
            .substring(0, end)
            .lines()
            .filter(line -> !line.startsWith("Date:"))
            .map(line -> line.replaceAll(" +", " "))
            .sorted()
            .toList();
    return head + reply.substring(end);
  }

  @Test
  void whatLoopsDoesNotHoldUpTheLoop() throws Exception {
    start("plugin", "/api=" + views("api", Loops.class), "plugin-timeout", "1");
    awaitMessage("not on the loop's: the verifier finds no bound for its handle, line ");
    assertThat(get("/api")).isEqualTo("200 ");
    assertThat(get("/api?x")).startsWith("503");
    for (int i = 0; i < 50; i++) {
      assertThat(get("/")).isEqualTo("200 home");
    }
    assertThat(guard("/api").disabled()).isFalse();
  }

  @Test
  void whatDoesTooMuchIsRefusedWithItsBound() throws Exception {
    start("plugin", "/api=" + views("api", Large.class));
    awaitMessage("plug-in /api answers on threads of its domain, and not on the loop's: ");
    assertThat(messages.getFirst()).contains("bytecodes");
    assertThat(get("/api")).startsWith("200 ");
    assertThat(threads("api")).isEqualTo(1);
  }

  @Test
  void anInitializerThatDoesNotEndHoldsUpNeitherTheStartNorTheLoop() throws Exception {
    start("plugin", "/api=" + views("api", Hangs.class, Endless.class), "plugin-timeout", "1");
    assertThat(get("/api")).isEqualTo("200 fine");
    awaitMessage("an initializer did not end within 1 s");
    assertThat(guard("/api").verdict()).isEqualTo(Verdict.TRANSLATED);
    assertThat(get("/api")).isEqualTo("200 fine");
    assertThat(get("/api?x")).startsWith("503");
    assertThat(get("/")).isEqualTo("200 home");
  }

  @Test
  void whatIsKeptOfARequestIsDead() throws Exception {
    start("plugin", "/api=" + views("api", Keeps.class));
    awaitAdmission("/api");
    Await.until("uses of what was kept", () -> get("/api").endsWith(" refused"));
    for (int i = 0; i < 200; i++) {
      assertThat(get("/api")).isEqualTo("200 0 refused");
    }
  }

  @Test
  void theTextOfWhatIsThrownIsNotAskedForOnTheLoop() throws Exception {
    start("plugin", "/api=" + views("api", Throws.class, Ugly.class));
    awaitAdmission("/api");
    assertThat(get("/api")).isEqualTo("500 500 Internal Server Error\n");
    awaitMessage("answers 500: it threw " + Ugly.class.getName());
    assertThat(guard("/api").times().failures()).isZero();
  }

  @Test
  void aDomainOverItsBudgetLosesItsPlaceUntilItIsWithinIt() throws Exception {
    start("plugin", "/api=" + views("api", Greedy.class), "budget", "cpu=30%");
    awaitAdmission("/api");
    int fine = 0;
    int held = 0;
    for (int i = 0; i < 100_000 && (fine < 20 || held < 20); i++) {
      String reply = get("/api");
      assertThat(reply).matches("(?s)200 fine|503 .*");
      fine += reply.startsWith("200") ? 1 : 0;
      held += reply.startsWith("503") ? 1 : 0;
      assertThat(get("/")).isEqualTo("200 home");
    }
    assertThat(fine).isGreaterThanOrEqualTo(20);
    assertThat(held).isGreaterThanOrEqualTo(20);
    assertThat(guard("/api").times().maxNanos()).as("no gate has held the loop").isPositive();
    assertThat(guard("/api").disabled()).isFalse();
  }

  @Test
  void afterTheEndOfItsDomainAPluginIsNotAnswered() throws Exception {
    start("plugin", "/api=" + views("api", Echo.class));
    awaitAdmission("/api");
    assertThat(get("/api?a")).startsWith("201 ");
    domain("api").kill();
    assertThat(get("/api?a")).startsWith("503");
    assertThat(get("/")).isEqualTo("200 home");
    assertThat(server().reload(messages::add)).as(messages.toString()).isTrue();
    awaitMessage("was loaded again");
    awaitAdmission("/api");
    assertThat(get("/api?a")).startsWith("201 ");
  }

  @Test
  void whatNamesNothingKnownIsNotLoaded() {
    assertThatThrownBy(() -> start("plugin", "/api=" + views("api", String.class)))
        .hasMessageContaining("implements none of HttpPlugin, StreamPlugin and ViewPlugin");
  }
}
