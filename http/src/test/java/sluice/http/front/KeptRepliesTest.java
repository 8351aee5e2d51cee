package sluice.http.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.http.parse.HttpLimits;
import sluice.http.parse.HttpParser;
import sluice.http.parse.HttpRequest;
import sluice.http.text.Latin1;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// Which replies RFC 9111 lets a shared cache keep, for how long, and what ends them, by a clock of
/// our own.
class KeptRepliesTest {
  private static final HttpLimits LIMITS = new HttpLimits(2048, 8192, 40, 16);
  private static final long NOW = Instant.parse("2026-01-01T00:01:00Z").getEpochSecond();
  private static final String PUBLIC = "Cache-Control: public, max-age=600\r\n";
  private static final String LENGTH = "Content-Length: 1\r\n\r\nx";
  private static final String OK = "HTTP/1.1 200 OK\r\n";

  private final ViewBinder binder = new ViewBinder(Thread.currentThread());
  private long nanos = -5_000_000_000L;
  private long seconds = NOW;
  private final KeptReplies replies =
      new KeptReplies(
          1 << 20,
          KeptReplies.Rule.parse("/rule/*=600"),
          () -> nanos,
          () -> Instant.ofEpochSecond(seconds));
  private final HttpRequest request = new HttpRequest(LIMITS);
  private FrontTracker tracker = new FrontTracker(new HttpParser(LIMITS), request, replies);

  private static String get(String target, String... fields) {
    return request("GET", target, fields);
  }

  private static String request(String method, String target, String... fields) {
    StringBuilder text = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: x\r\n");
    for (String field : fields) {
      text.append(field).append("\r\n");
    }
    return text.append("\r\n").toString();
  }

  private void pass(String text) {
    byte[] bytes = Latin1.bytes(text);
    View view = binder.bind(MemorySegment.ofArray(bytes), 0, bytes.length);
    assertThat(tracker.look(view, 0, bytes.length)).isEqualTo(FrontTracker.Next.REQUEST);
    int _ = tracker.pass();
    binder.unbind();
  }

  /// The application writes.
  private void write(String text) {
    byte[] bytes = Latin1.bytes(text);
    View view = binder.bind(MemorySegment.ofArray(bytes), 0, bytes.length);
    tracker.beforeReply();
    if (tracker.awaitsHead()) {
      tracker.beforeHead(view, 0, bytes.length);
    }
    tracker.replied(view, 0, bytes.length);
    binder.unbind();
  }

  private void exchange(String question, String answer) {
    tracker = new FrontTracker(new HttpParser(LIMITS), request, replies);
    pass(question);
    write(answer);
    assertThat(tracker.owed()).isZero();
  }

  private boolean isKept(String question) {
    return find(question) != null;
  }

  private @Nullable KeptReply find(String question) {
    byte[] bytes = Latin1.bytes(question);
    View view = binder.bind(MemorySegment.ofArray(bytes), 0, bytes.length);
    FrontTracker other = new FrontTracker(new HttpParser(LIMITS), request, replies);
    assertThat(other.look(view, 0, bytes.length)).isEqualTo(FrontTracker.Next.REQUEST);
    KeptReply found = replies.lookup(request);
    binder.unbind();
    return found;
  }

  private void keep(String target) {
    exchange(get(target), OK + PUBLIC + LENGTH);
    assertThat(isKept(get(target))).isTrue();
  }

  // ---- what is kept, and how long -------------------------------------------------------------

  /// How many seconds longer a reply is given that says `max-age=600`; 0 when it is not kept.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "X: y                                                                | 600",
        "Age: 0                                                              | 600",
        "Age: 100                                                            | 500",
        "Age: 600                                                            | 0",
        "Age: 5;Age: 5                                                       | 0",
        "Age: 5, 5                                                           | 0",
        "Age: -1                                                             | 0",
        "Age: 1.5                                                            | 0",
        "Age: soon                                                           | 0",
        "Age:                                                                | 0",
        "Age: 99999999999999999999                                           | 0",
        "Date: Thu, 01 Jan 2026 00:01:00 GMT                                 | 600",
        "Date: Thu, 01 Jan 2026 00:00:00 GMT                                 | 540",
        "Date: Thu, 01 Jan 2026 00:00:00 GMT;Age: 10                         | 540",
        "Date: Thu, 01 Jan 2026 00:00:00 GMT;Age: 100                        | 500",
        "Date: Thu, 01 Jan 2026 09:00:00 GMT                                 | 600",
        "Date: Wed, 31 Dec 2025 00:00:00 GMT                                 | 0",
        "Date: Thursday, 01-Jan-26 00:00:00 GMT                              | 540",
        "Date: Thu Jan  1 00:00:00 2026                                      | 540",
        "Date: yesterday                                                     | 0",
        "Date:                                                               | 0",
        "Date: Thu, 01 Jan 2026 00:01:00 GMT;Date: Thu, 01 Jan 2026 00:01:00 GMT | 0",
        "Expires: 0                                                          | 600",
        "Expires: Thu, 01 Jan 1970 00:00:00 GMT                              | 600",
        "Expires: soon;Expires: later                                        | 600",
        "Cache-Control: s-maxage=30                                          | 30",
        "Cache-Control: s-maxage=30;Age: 10                                  | 20",
        "Cache-Control: s-maxage=x                                           | 0",
        "Cache-Control: max-age=600                                          | 0",
        "Cache-Control: public                                               | 0",
        "Cache-Control: no-cache                                             | 0",
        "Cache-Control: no-cache=\"X\"                                       | 0",
        "Cache-Control: no-cache=\"X, Y\"                                    | 0",
        "Cache-Control: private=\"X\"                                        | 0",
        "Cache-Control: NO-STORE                                             | 0",
        "Cache-Control: must-understand                                      | 0",
        "Cache-Control: must-revalidate, proxy-revalidate                    | 600",
        "Cache-Control: immutable, stale-if-error=60                         | 600",
        "Cache-Control: ext=\"a, no-store\"                                  | 0",
        "Vary: accept-encoding                                               | 600",
        "Vary: Accept-Encoding;Vary: *                                       | 0",
        "Vary: Origin                                                        | 0",
        "Set-Cookie: a=b                                                     | 0",
      })
  void howLongAReplyIsGiven(String fields, long seconds) {
    String lines = fields.strip().replace(";", "\r\n") + "\r\n";
    exchange(get("/p"), OK + PUBLIC + lines + LENGTH);
    nanos += 1_000_000_000L * seconds - 1;
    assertThat(isKept(get("/p"))).isEqualTo(seconds > 0);
    nanos++;
    assertThat(isKept(get("/p"))).isFalse();
  }

  /// Age counts from the request (RFC 9111, 4.2.3), the date from the reply.
  @ParameterizedTest
  @CsvSource({"Age: 100,490", "'Date: Thu, 01 Jan 2026 00:00:30 GMT',560", "X: y,590"})
  void aReplyThatTookLongIsAsOldAsItsRequest(String field, long seconds) {
    pass(get("/p"));
    nanos += 10_000_000_000L;
    this.seconds += 10;
    write(OK + PUBLIC + field + "\r\n" + LENGTH);
    nanos += 1_000_000_000L * seconds - 1;
    assertThat(isKept(get("/p"))).isTrue();
    nanos++;
    assertThat(isKept(get("/p"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"103 Early Hints", "100 Continue", "102 Processing"})
  void anInterimReplyDoesNotStopKeeping(String status) {
    String interim = "HTTP/1.1 " + status + "\r\nLink: </a.css>\r\n\r\n";
    exchange(get("/one"), interim + OK + PUBLIC + LENGTH);
    assertThat(isKept(get("/one"))).isTrue();
    tracker = new FrontTracker(new HttpParser(LIMITS), request, replies);
    pass(get("/pieces"));
    for (char c : (interim + interim + OK + PUBLIC + LENGTH).toCharArray()) {
      write(String.valueOf(c));
    }
    assertThat(isKept(get("/pieces"))).isTrue();
    exchange(get("/private"), interim + OK + "Cache-Control: private\r\n" + LENGTH);
    assertThat(isKept(get("/private"))).isFalse();
    exchange(get("/rule/x"), interim + OK + LENGTH);
    assertThat(isKept(get("/rule/x"))).isTrue();
  }

  // ---- what ends it ---------------------------------------------------------------------------

  @Test
  void aChangeEndsItsTargetAndNoOther() {
    for (String target : List.of("/p", "/p?q", "/p/", "/P", "/q")) {
      keep(target);
    }
    exchange(get("/p", "Accept-Encoding: gzip"), OK + PUBLIC + LENGTH);
    exchange(request("POST", "/p"), OK + LENGTH);
    assertThat(isKept(get("/p"))).isFalse();
    assertThat(isKept(get("/p", "Accept-Encoding: gzip"))).isFalse();
    for (String target : List.of("/p?q", "/p/", "/P", "/q")) {
      assertThat(isKept(get(target))).as(target).isTrue();
    }
  }

  /// What a change names ends too, where it is of the same host (RFC 9111, 4.4).
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Location: /made/7                          | /made/7",
        "LOCATION: http://x/made/7                  | /made/7",
        "Location: https://X/made/7?a=b             | /made/7?a=b",
        "Location: 7                                | /made/7",
        "Location: ../other#part                    | /other",
        "Location: ?page=2                          | /made/?page=2",
        "Location: http://x                         | /",
        "Content-Location: /made/7                  | /made/7",
        "Content-Location: /a;Content-Location: /b  | /b",
        "Location: /a;Content-Location: /b          | /b",
      })
  void aChangeEndsWhatItNames(String fields, String target) {
    keep(target);
    String head = "HTTP/1.1 201 Created\r\n" + fields.replace(";", "\r\n") + "\r\n" + LENGTH;
    exchange(request("POST", "/made/"), head);
    assertThat(isKept(get(target))).isFalse();
    keep(target);
    tracker = new FrontTracker(new HttpParser(LIMITS), request, replies);
    pass(request("POST", "/made/"));
    for (char c : ("HTTP/1.1 103 Early Hints\r\n\r\n" + head).toCharArray()) {
      write(String.valueOf(c));
    }
    assertThat(isKept(get(target))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Location: http://y/p",
        "Location: //y/p",
        "Location: http://x:8080/p",
        "Location: ftp://x/p",
        "Location: http://[/p",
        "Location: %%%",
        "Location: mailto:x@y",
        "Link: </p>",
      })
  void aChangeEndsNothingOfOthers(String field) {
    keep("/p");
    exchange(request("POST", "/q"), OK + field + "\r\n" + LENGTH);
    assertThat(isKept(get("/p"))).isTrue();
    exchange(get("/r"), OK + "Location: /p\r\n" + LENGTH);
    assertThat(isKept(get("/p"))).isTrue();
  }

  /// The head of a refusal, a line that is no field: the application's own matter.
  @Test
  void aHeadThatIsNoneEndsItsTargetAlone() {
    keep("/p");
    keep("/q");
    tracker = new FrontTracker(new HttpParser(LIMITS), request, replies);
    pass(request("POST", "/p"));
    write("HTTP/1.1 200 OK\r\nno field\r\nLocation: /q\r\n\r\n");
    assertThat(isKept(get("/p"))).isFalse();
    assertThat(isKept(get("/q"))).isTrue();
  }

  /// The table against a model: whatever is kept, put, ended by target or tag, in any order.
  @Test
  void theTableIsAsAMapOfAll() {
    for (long seed = 0; seed < 50; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Map<String, String> model = new java.util.HashMap<>(); // target to tag
      replies.clear();
      for (int i = 0; i < 300; i++) {
        String target = "/t" + random.nextInt(40);
        String tag = "g" + random.nextInt(5);
        switch (random.nextInt(8)) {
          case 0 -> {
            exchange(request("DELETE", target), OK + LENGTH);
            model.remove(target);
          }
          case 1 ->
              assertThat(replies.purge(target)).isEqualTo(model.remove(target) == null ? 0 : 1);
          case 2 -> {
            long had = model.values().stream().filter(tag::equals).count();
            assertThat(replies.purgeTag(tag)).isEqualTo((int) had);
            model.values().removeIf(tag::equals);
          }
          case 3 -> {
            replies.put(target, Map.of(), new byte[1], 600, Set.of(tag));
            model.put(target, tag);
          }
          default -> {
            if (!model.containsKey(target)) {
              exchange(get(target), OK + PUBLIC + "Cache-Tag: " + tag + "\r\n" + LENGTH);
              model.put(target, tag);
            }
          }
        }
        assertThat(replies.counts().kept()).as("seed " + seed).isEqualTo(model.size());
        assertThat(isKept(get(target))).isEqualTo(model.containsKey(target));
      }
      assertThat(replies.clear()).isEqualTo(model.size());
      assertThat(replies.counts().bytes()).isZero();
    }
  }

  /// What is used stays, what was kept longest goes.
  @Test
  void memoryIsBounded() {
    for (int i = 0; i < 10_000; i++) {
      replies.put("/n" + i, Map.of(), new byte[100], 600, Set.of("a", "b" + i));
      if (i % 100 == 0) {
        assertThat(isKept(get("/n0"))).isTrue();
        assertThat(replies.counts().bytes()).isLessThanOrEqualTo(1 << 20);
      }
    }
    assertThat(isKept(get("/n1"))).isFalse();
    assertThat(replies.purgeTag("a")).isGreaterThan(1000);
    assertThat(replies.counts().kept()).isZero();
    assertThat(replies.counts().bytes()).isZero();
  }
}
