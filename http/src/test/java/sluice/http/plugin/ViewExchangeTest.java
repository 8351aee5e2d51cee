package sluice.http.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.http.parse.HttpLimits;
import sluice.http.parse.HttpParser;
import sluice.http.parse.HttpRequest;
import sluice.memory.View;
import sluice.memory.ViewBinder;
import sluice.testbase.AllocatedBytes;

/// What a plug-in over views is lent: as bytes of a loop and of a copied request, until it returns.
@Timeout(240)
final class ViewExchangeTest {
  private static final String HEAD =
      "GET /a/b?q=1 HTTP/1.1\r\nHost: h\r\nX-One: 1\r\nx-one:  two \r\nContent-Length: 4\r\n\r\n";

  private final ViewBinder binder = new ViewBinder(Thread.currentThread());
  private final HttpRequest parsed = new HttpRequest(HttpLimits.DEFAULT);

  /// A request in the middle of what was received.
  private HttpRequest request(String head) {
    byte[] bytes = ("before" + head + "body GET /next").getBytes(StandardCharsets.ISO_8859_1);
    MemorySegment memory = Arena.ofAuto().allocate(bytes.length);
    MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
    View view = binder.bind(memory, 0, bytes.length);
    int used = new HttpParser(HttpLimits.DEFAULT).parse(view, 6, bytes.length, parsed);
    assertThat(used).isPositive();
    return parsed;
  }

  private static String shown(ViewRequest request) {
    View view = request.view();
    StringBuilder text = new StringBuilder();
    text.append(view.latin1(request.methodFrom(), request.methodTo())).append('|');
    text.append(view.latin1(request.pathFrom(), request.pathTo())).append('|');
    text.append(request.hasQuery());
    text.append(view.latin1(request.queryFrom(), request.queryTo())).append('|');
    int line = request.findLine("X-ONE", 0);
    while (line >= 0) {
      text.append(view.latin1(request.valueFrom(line), request.valueTo(line))).append(',');
      line = request.findLine("X-ONE", line + 1);
    }
    return text.append('|').append(view.latin1(request.bodyFrom(), request.bodyTo())).toString();
  }

  @Test
  void bothWaysShowTheSame() throws Exception {
    ViewExchange exchange = new ViewExchange(Arena.ofAuto(), 4096);
    assertThat(exchange.begin(request(HEAD))).isTrue();
    String onLoop = shown(exchange.request());
    assertThat(onLoop).isEqualTo("GET|/a/b|trueq=1|1,two,|body");
    exchange.end();
    List<String> seen = new ArrayList<>();
    PluginRequest copied =
        new PluginRequest(
            "GET",
            "/a/b",
            "q=1",
            Map.of("x-one", List.of("1", "two"), "host", List.of("h")),
            "body".getBytes(StandardCharsets.US_ASCII));
    PluginReply reply =
        ViewExchange.answer(
            (request, out) -> {
              seen.add(shown(request));
              out.status(404).field("A", "1").field("B", "2").field("A", "3").text("ö").number(-7);
            },
            copied);
    assertThat(seen).containsExactly(onLoop);
    assertThat(reply.status()).isEqualTo(404);
    assertThat(reply.headers()).isEqualTo(Map.of("A", List.of("1", "3"), "B", List.of("2")));
    assertThat(new String(reply.body(), StandardCharsets.UTF_8)).isEqualTo("ö-7");
  }

  @Test
  void aLongerRequestDoesNotBegin() {
    ViewExchange exchange = new ViewExchange(Arena.ofAuto(), HEAD.length() + 4);
    assertThat(exchange.begin(request(HEAD))).isTrue();
    exchange.end();
    assertThat(exchange.begin(request(HEAD.replace("q=1", "q=12")))).isFalse();
  }

  @Test
  void whatIsLentIsDeadAtTheEndAndInOtherThreads() throws Exception {
    ViewExchange exchange = new ViewExchange(Arena.ofAuto(), 4096);
    assertThat(exchange.begin(request(HEAD))).isTrue();
    View view = exchange.request().view();
    ViewReply reply = exchange.reply();
    List<Throwable> thrown = new ArrayList<>();
    Thread other =
        Thread.ofPlatform()
            .start(() -> {
              thrown.add(thrownBy(() -> view.get(0)));
              thrown.add(thrownBy(() -> reply.text("a")));
            });
    other.join();
    assertThat(thrown.get(0)).isInstanceOf(WrongThreadException.class);
    assertThat(thrown.get(1)).isInstanceOf(IllegalStateException.class);
    exchange.end();
    assertThatThrownBy(() -> view.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> reply.status(200)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> exchange.request().valueFrom(0))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  private static Throwable thrownBy(Runnable task) {
    try {
      task.run();
      return new AssertionError("nothing was thrown");
    } catch (RuntimeException e) {
      return e;
    }
  }

  @Test
  void whatDoesNotFitIsRefused() {
    ViewExchange exchange = new ViewExchange(Arena.ofAuto(), 4096);
    assertThat(exchange.begin(request(HEAD))).isTrue();
    ViewReply reply = exchange.reply();
    reply.put(new byte[ViewReply.BODY_BYTES]);
    assertThatThrownBy(() -> reply.put((byte) 1)).isInstanceOf(IndexOutOfBoundsException.class);
    for (int i = 0; i < ViewReply.FIELDS; i++) {
      reply.field("X-" + i, "v");
    }
    assertThatThrownBy(() -> reply.field("X", "v")).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> reply.field("Date", "v")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> reply.status(100)).isInstanceOf(IllegalArgumentException.class);
    assertThat(exchange.length()).isEqualTo(ViewReply.BODY_BYTES);
  }

  @Test
  void requestsAllocateNothing() throws Exception {
    ViewExchange exchange = new ViewExchange(Arena.ofAuto(), 4096);
    HttpRequest request = request(HEAD);
    long allocated =
        AllocatedBytes.settled(
            4 << 10,
            () -> {
              for (int i = 0; i < 10_000; i++) {
                exchange.begin(request);
                ViewRequest lent = exchange.request();
                int line = lent.findLine("X-One", 0);
                exchange
                    .reply()
                    .field("Content-Type", "text/plain")
                    .text("hello ")
                    .put(lent.view(), lent.valueFrom(line), lent.valueTo(line))
                    .number(i);
                exchange.end();
              }
            });
    assertThat(allocated).isLessThanOrEqualTo(4 << 10);
  }
}
