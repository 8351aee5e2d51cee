package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.http.front.FrontTimes;
import sluice.http.front.KeptReplies;
import sluice.nio.front.FrontMode;
import sluice.testbase.Await;

/// Replies of an application that are kept in front of it: only what RFC 9111 allows, and never
/// after it was ended.
@Timeout(120)
class FrontCacheTest {
  private static final String PUBLIC = "Cache-Control: public, max-age=600\r\n";

  @TempDir Path directory;
  KeptReplies replies;
  CacheableApplication application;

  @BeforeEach
  void start() throws Exception {
    Files.writeString(directory.resolve("a.txt"), "file a");
    FrontTimes times =
        new FrontTimes(Duration.ofMillis(100), Duration.ofSeconds(10), Duration.ofSeconds(60));
    replies = new KeptReplies(1 << 20, KeptReplies.Rule.parse("/rule/*=600, /one=600"));
    application =
        new CacheableApplication(
            CompletionProviders.behind(directory, times, FrontMode.COMPANION, replies));
  }

  @AfterEach
  void stop() throws Exception {
    application.close();
  }

  private FrontClient client() throws IOException {
    return new FrontClient(application.port());
  }

  private String ask(String path, String... fields) throws IOException {
    return send("GET", path, fields);
  }

  /// The reply is kept when its last byte has gone, which the client may see before.
  private String keep(String path, String... fields) throws Exception {
    long before = replies.counts().stored();
    String reply = ask(path, fields);
    Await.until("it is kept", () -> replies.counts().stored() > before);
    return reply;
  }

  private String send(String method, String path, String... fields) throws IOException {
    try (FrontClient client = client()) {
      return client.send(request(method, path, fields)).reply();
    }
  }

  private static String request(String method, String path, String... fields) {
    StringBuilder text = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
    for (String field : fields) {
      text.append(field).append("\r\n");
    }
    return text.append("Host: x\r\n\r\n").toString();
  }

  // ---- what is kept ---------------------------------------------------------------------------

  @Test
  void aReplyThatIsForAllAnswersTheNextClients() throws Exception {
    application.fields.put("/p", PUBLIC + "Content-Type: text/x\r\nConnection: keep-alive\r\n");
    assertThat(keep("/p")).isEqualTo("200 1#0");
    try (FrontClient client = client()) {
      assertThat(client.get("/p").reply()).isEqualTo("200 1#0");
      assertThat(client.fields)
          .contains("age: 0\n", "content-type: text/x\n", "cache-control: public, max-age=600\n")
          .doesNotContain("connection:");
      assertThat(client.get("/a.txt").reply()).isEqualTo("200 file a");
      assertThat(client.get("/other").reply()).isEqualTo("200 2#0");
      assertThat(client.get("/p").reply()).isEqualTo("200 1#0");
    }
    assertThat(application.asked).hasValue(2);
    assertThat(replies.counts().hits()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Cache-Control: public, s-maxage=600, max-age=0",
        "Cache-Control: max-age=600\r\nCache-Control: public",
        "CACHE-CONTROL: Public , Max-Age=\"600\"",
        "Cache-Control: public, max-age=600\r\nVary: accept-encoding",
        "Cache-Control: public, max-age=600\r\nAge: 599",
        "Cache-Control: public, max-age=99999999999999999999",
        "Cache-Control: public, max-age=600\r\nTransfer-Encoding: chunked"
      })
  void kept(String fields) throws Exception {
    application.fields.put("/p", fields + "\r\n");
    assertThat(keep("/p")).isEqualTo("200 1#0");
    assertThat(ask("/p")).isEqualTo("200 1#0");
    assertThat(application.asked).hasValue(1);
  }

  @Test
  void anInterimReplyIsNotWhatIsKept() throws Exception {
    application.fields.put("/p", "Link: </a.css>\r\n\r\nHTTP/1.1 200 OK\r\n" + PUBLIC);
    application.interim.add("/p");
    try (FrontClient client = client()) {
      long before = replies.counts().stored();
      assertThat(client.get("/p").reply(false)).isEqualTo("103");
      assertThat(client.reply()).isEqualTo("200 1#0");
      Await.until("it is kept", () -> replies.counts().stored() > before);
      assertThat(client.get("/p").reply()).isEqualTo("200 1#0");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X: y",
        "Cache-Control: max-age=600",
        "Cache-Control: public",
        "Cache-Control: public, max-age=0",
        "Cache-Control: public, max-age=-5",
        "Cache-Control: public, max-age=x",
        "Cache-Control: public, max-age=600, max-age=5",
        "Cache-Control: public, max-age=600, s-maxage=0",
        "Cache-Control: public, max-age=600, no-store",
        "Cache-Control: public, max-age=600, private",
        "Cache-Control: public, max-age=600, private=\"x\"",
        "Cache-Control: public, max-age=600, no-cache=\"Set-Cookie, X\"",
        "Cache-Control: public, max-age=600\r\nCache-Control: no-cache",
        "Cache-Control: public, max-age=600\r\nSet-Cookie: a=b",
        "Cache-Control: public, max-age=600\r\nVary: Cookie",
        "Cache-Control: public, max-age=600\r\nVary: Accept-Encoding, User-Agent",
        "Cache-Control: public, max-age=600\r\nVary: *",
        "Cache-Control: public, max-age=600\r\nAge: 600",
        "Cache-Control: public, max-age=600\r\nAge: 5\r\nAge: 5",
        "Cache-Control: public, max-age=600\r\nAge: soon",
        "Cache-Control: public, max-age=600\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT"
      })
  void notKept(String fields) throws Exception {
    application.fields.put("/p", fields + "\r\n");
    assertThat(ask("/p")).isEqualTo("200 1#0");
    assertThat(ask("/p")).isEqualTo("200 2#0");
  }

  @Test
  void anErrorIsNotKept() throws Exception {
    application.fields.put("/404", PUBLIC);
    assertThat(ask("/404")).isEqualTo("404 1#0");
    assertThat(ask("/404")).isEqualTo("404 2#0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Authorization: Basic eDp5",
        "Range: bytes=0-1",
        "Cache-Control: no-store",
        "cache-control: max-age=5\r\nCache-Control: NO-STORE"
      })
  void aRequestWhoseReplyIsNotKept(String field) throws Exception {
    application.fields.put("/p", PUBLIC);
    assertThat(ask("/p", field)).isEqualTo("200 1#0");
    assertThat(keep("/p")).isEqualTo("200 2#0");
    assertThat(ask("/p")).isEqualTo("200 2#0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Authorization: Basic eDp5",
        "Range: bytes=0-1",
        "Cache-Control: no-cache",
        "Cache-Control: max-age=0",
        "Pragma: no-cache",
        "If-Match: \"x\"",
        "If-Unmodified-Since: Tue, 24 Nov 2026 10:00:00 GMT",
        "If-Range: \"x\"",
        "Connection: close",
        "Accept-Encoding: gzip",
        "Expect: something"
      })
  void aRequestThatIsTheApplicationsAllTheSame(String field) throws Exception {
    application.fields.put("/p", PUBLIC);
    assertThat(keep("/p")).isEqualTo("200 1#0");
    assertThat(ask("/p", field)).isEqualTo("200 2#0");
  }

  @Test
  void anotherHostIsAnotherReply() throws Exception {
    application.fields.put("/p", PUBLIC);
    try (FrontClient client = client()) {
      String other = "GET /p HTTP/1.1\r\nHost: y\r\n\r\n";
      assertThat(keep("/p")).isEqualTo("200 1#0");
      assertThat(client.send(other).reply()).isEqualTo("200 2#0");
      Await.until("it is kept", () -> replies.counts().stored() == 2);
      assertThat(client.get("/p").reply()).isEqualTo("200 1#0");
      assertThat(client.send(other).reply()).isEqualTo("200 2#0");
    }
  }

  @Test
  void aNewReplyTakesThePlaceOfTheOld() throws Exception {
    application.fields.put("/p", PUBLIC);
    assertThat(keep("/p")).isEqualTo("200 1#0");
    assertThat(keep("/p", "Cache-Control: no-cache")).isEqualTo("200 2#0");
    assertThat(ask("/p")).isEqualTo("200 2#0");
    assertThat(replies.counts().kept()).isEqualTo(1);
  }

  @Test
  void aPathWithARuleIsKeptUnlessItForbids() throws Exception {
    application.fields.put("/rule/b", "Cache-Control: no-store\r\n");
    assertThat(keep("/rule/a?x=1")).isEqualTo("200 1#0");
    assertThat(ask("/rule/a?x=1")).isEqualTo("200 1#0");
    assertThat(ask("/rule/b")).isEqualTo("200 2#0");
    assertThat(ask("/rule/b")).isEqualTo("200 3#0");
    assertThat(keep("/one")).isEqualTo("200 4#0");
    assertThat(ask("/one")).isEqualTo("200 4#0");
    assertThat(ask("/one/more")).isEqualTo("200 5#0");
    assertThat(ask("/one/more")).isEqualTo("200 6#0");
  }

  /// What another path leads to must not be kept by a rule for this one, however it is spelt.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/rule/../account",
        "/rule/%2e%2e/account",
        "/rule/..%2faccount",
        "/rule/..%5caccount",
        "/rule/..;/account",
        "/rule/..;a=b/account",
        "/rule/a/../../account"
      })
  void aRuleIsNotForWhatLeadsElsewhere(String path) throws Exception {
    assertThat(ask(path)).isEqualTo("200 1#0");
    assertThat(ask(path)).isEqualTo("200 2#0");
    assertThat(keep("/rule/a%20b/./c")).isEqualTo("200 3#0");
    assertThat(ask("/rule/a%20b/./c")).isEqualTo("200 3#0");
  }

  /// A client could otherwise have its own words answered to all.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 1\r\n\r\nx",
        "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
      })
  void aRequestWithABodyIsTheApplicationsAlone(String framed) throws Exception {
    application.fields.put("/p", PUBLIC);
    try (FrontClient client = client()) {
      String request = "GET /p HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n" + framed;
      assertThat(client.send(request).reply()).isEqualTo("200 1#0");
    }
    assertThat(keep("/p")).isEqualTo("200 2#0");
    assertThat(ask("/p")).isEqualTo("200 2#0");
  }

  // ---- conditions -----------------------------------------------------------------------------

  @Test
  void headAndConditions() throws Exception {
    String date = "Tue, 24 Nov 2026 10:00:00 GMT";
    application.fields.put(
        "/p", PUBLIC + "ETag: \"e1\"\r\nLast-Modified: " + date + "\r\nX-Y: z\r\n");
    assertThat(keep("/p")).isEqualTo("200 1#0");
    try (FrontClient client = client()) {
      assertThat(client.send(request("HEAD", "/p")).reply(false)).isEqualTo("200");
      assertThat(client.fields).contains("content-length: 3\n", "x-y: z\n");
      for (String field :
          List.of(
              "If-None-Match: \"a\", W/\"e1\"", "If-None-Match: *", "If-Modified-Since: " + date)) {
        assertThat(client.send(request("GET", "/p", field)).reply(false))
            .as(field)
            .isEqualTo("304");
        assertThat(client.fields)
            .contains("etag: \"e1\"\n", "age: 0\n")
            .doesNotContain("x-y", "content-length");
      }
      assertThat(client.send(request("GET", "/p", "If-None-Match: \"e2\"")).reply())
          .isEqualTo("200 1#0");
      String both = "If-None-Match: \"e2\"\r\nIf-Modified-Since: " + date;
      assertThat(client.send(request("GET", "/p", both)).reply()).isEqualTo("200 1#0");
    }
    assertThat(application.asked).hasValue(1);
  }

  // ---- what is ended --------------------------------------------------------------------------

  @Test
  void aReplyIsFreshForItsTimeAlone() throws Exception {
    application.fields.put("/p", "Cache-Control: public, max-age=1\r\n");
    assertThat(keep("/p")).isEqualTo("200 1#0");
    Await.until("an old reply is not given", () -> !ask("/p").equals("200 1#0"));
    assertThat(application.asked.get()).isEqualTo(2);
  }

  @Test
  void purgingPuttingAndTags() throws Exception {
    application.fields.put("/p", PUBLIC + "Cache-Tag: A, b\r\n");
    application.fields.put("/q", PUBLIC + "Surrogate-Key: b c\r\n");
    assertThat(keep("/p")).isEqualTo("200 1#0");
    assertThat(keep("/q")).isEqualTo("200 2#0");
    assertThat(replies.purge("/p")).isEqualTo(1);
    assertThat(keep("/p")).isEqualTo("200 3#0");
    assertThat(ask("/q")).isEqualTo("200 2#0");
    assertThat(replies.purgeTag("B")).isEqualTo(2);
    assertThat(keep("/q")).isEqualTo("200 4#0");
    assertThat(replies.purgeTag("a")).isZero();
    Map<String, String> fields = Map.of("Content-Type", "text/plain");
    byte[] body = "put".getBytes(StandardCharsets.US_ASCII);
    replies.put("/q", fields, body, 60, Set.of("T"));
    assertThat(ask("/q")).isEqualTo("200 put");
    assertThat(ask("/q", "Accept-Encoding: gzip")).isEqualTo("200 put");
    assertThat(replies.purgeTag("t")).isEqualTo(1);
    assertThat(keep("/q")).isEqualTo("200 5#0");
    assertThat(replies.clear()).isEqualTo(1);
    assertThat(replies.counts().bytes()).isZero();
    assertThatThrownBy(() -> replies.put("q", fields, body, 60, Set.of()))
        .hasMessageContaining("Fix:");
    assertThatThrownBy(() -> replies.put("/q", Map.of("A", "b\r\nC: d"), body, 60, Set.of()))
        .hasMessageContaining("not a field");
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "MKCOL"})
  void aRequestThatMayChangeTheTargetEndsIt(String method) throws Exception {
    application.fields.put("/p", PUBLIC);
    application.fields.put("/q", PUBLIC);
    assertThat(keep("/p")).isEqualTo("200 1#0");
    assertThat(keep("/q")).isEqualTo("200 2#0");
    assertThat(send(method, "/p", "Content-Length: 0")).startsWith("200 3#");
    assertThat(ask("/p")).startsWith("200 4#");
    assertThat(ask("/q")).isEqualTo("200 2#0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://x/p?a=1", "HTTP://x/p?a=1"})
  void itEndsItInAbsoluteFormToo(String target) throws Exception {
    application.fields.put("/p?a=1", PUBLIC);
    application.fields.put("/", PUBLIC);
    assertThat(keep("/p?a=1")).isEqualTo("200 1#0");
    assertThat(keep("/")).isEqualTo("200 2#0");
    assertThat(send("POST", target, "Content-Length: 0")).startsWith("200 3#");
    assertThat(ask("/p?a=1")).startsWith("200 4#");
    assertThat(ask("/")).isEqualTo("200 2#0");
    assertThat(send("POST", "http://x", "Content-Length: 0")).startsWith("200 5#");
    assertThat(ask("/")).startsWith("200 6#");
  }

  @Test
  void whatWasOnItsWayWhenItWasEndedIsNotKept() throws Exception {
    application.fields.put("/p", PUBLIC);
    CountDownLatch latch = new CountDownLatch(1);
    application.held.put("/p", latch);
    try (FrontClient client = client()) {
      client.get("/p");
      Await.until("the application is asked", () -> application.asked.get() == 1);
      assertThat(replies.purge("/p")).isZero();
      latch.countDown();
      assertThat(client.reply()).isEqualTo("200 1#0");
    }
    assertThat(keep("/p")).isEqualTo("200 2#0");
    assertThat(ask("/p")).isEqualTo("200 2#0");
  }

  /// A client that has changed something reads it.
  @Test
  void aClientReadsWhatWasChangedBefore() throws Exception {
    application.fields.put("/p", PUBLIC);
    AtomicInteger outdated = new AtomicInteger();
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      readers.add(
          Thread.ofPlatform()
              .start(() -> {
                try (FrontClient client = client()) {
                  for (int n = 0; n < 1500; n++) {
                    int before = application.value.get();
                    // the counter changes before the reply to the change, so look at replies alone
                    int seen = value(client.get("/p").reply());
                    if (n % 50 == 0) {
                      int changed =
                          value(client.send(request("POST", "/p", "Content-Length: 0")).reply());
                      seen = value(client.get("/p").reply());
                      outdated.addAndGet(seen < changed ? 1 : 0);
                    }
                    outdated.addAndGet(seen < 0 || before < 0 ? 1 : 0);
                  }
                } catch (IOException e) {
                  outdated.addAndGet(1000);
                }
              }));
    }
    for (Thread reader : readers) {
      Await.end(reader);
    }
    assertThat(outdated).hasValue(0);
    assertThat(replies.counts().hits()).isPositive();
  }

  private static int value(String reply) {
    return Integer.parseInt(reply.substring(reply.indexOf('#') + 1));
  }

  // ---- order and limits -----------------------------------------------------------------------

  @Test
  void aKeptReplyWaitsForThoseBeforeIt() throws Exception {
    application.fields.put("/p", PUBLIC);
    assertThat(keep("/p")).isEqualTo("200 1#0");
    CountDownLatch latch = new CountDownLatch(1);
    application.held.put("/slow", latch);
    try (FrontClient client = client()) {
      client.send(request("GET", "/slow") + request("GET", "/p") + request("GET", "/a.txt"));
      Await.until("the application is asked", () -> application.asked.get() == 2);
      latch.countDown();
      assertThat(client.reply()).isEqualTo("200 2#0");
      assertThat(client.reply()).isEqualTo("200 1#0");
      assertThat(client.reply()).isEqualTo("200 file a");
    }
  }

  @Test
  void memoryIsBoundedAndWhatIsUsedStays() throws Exception {
    for (int i = 0; i < 6000; i++) {
      replies.put("/n" + i, Map.of(), new byte[100], 600, Set.of());
      if (i % 100 == 0) {
        assertThat(ask("/n0")).startsWith("200 ");
        assertThat(replies.counts().bytes()).isLessThanOrEqualTo(1 << 20);
      }
    }
    assertThat(application.asked).hasValue(0);
    assertThat(ask("/n1")).isEqualTo("200 1#0");
    assertThat(replies.clear()).isGreaterThan(1000);
  }

  @Test
  void rulesThatAreNone() {
    for (String wrong : List.of("x=5", "/x", "/x=", "/x=0", "/x=y", "=5")) {
      assertThatThrownBy(() -> KeptReplies.Rule.parse(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("Fix:");
    }
  }
}
