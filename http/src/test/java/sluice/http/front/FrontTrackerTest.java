package sluice.http.front;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Conversations step by step; each is had as a whole, byte by byte, and cut once at every place,
/// and must come out the same.
final class FrontTrackerTest {
  private static final String HOST = " HTTP/1.1\r\nHost: a\r\n";
  private static final String S1 = "GET /s1" + HOST + "\r\n";
  private static final String D = "GET /d" + HOST + "\r\n";
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  /// @param steps `C` and what the client sends, `A` and what the application writes
  /// @param passed what the application must have got
  /// @param received what the client must have got
  record Case(
      String name,
      List<String> steps,
      String passed,
      String received,
      @Nullable OpaqueReason reason) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Case tracked(String name, String passed, String received, String... steps) {
    return new Case(name, List.of(steps), passed, received, null);
  }

  private static Case opaque(
      String name, OpaqueReason reason, String passed, String received, String... steps) {
    return new Case(name, List.of(steps), passed, received, reason);
  }

  private static String post(String fields, String body) {
    return "POST /d" + HOST + fields + "\r\n" + body;
  }

  private static String reply(String status, String fields, String body) {
    return "HTTP/1.1 " + status + "\r\n" + fields + "\r\n" + body;
  }

  static List<Case> framed() {
    List<Case> cases = new ArrayList<>();
    cases.add(tracked("static alone", "", "</s1>", "C" + S1));
    cases.add(tracked("static, pipelined", "", "</s1></s1>", "C" + S1 + S1));
    cases.add(tracked("static waits for a reply", D, OK + "</s1>", "C" + D + S1, "A" + OK));
    cases.add(
        tracked(
            "between two replies", D + D, OK + "</s1>" + OK, "C" + D + S1 + D, "A" + OK, "A" + OK));
    String fixed = post("Content-Length: 5\r\n", "GET /");
    cases.add(tracked("a body of a length", fixed, OK + "</s1>", "C" + fixed + S1, "A" + OK));
    String chunked = post("Transfer-Encoding: chunked\r\n", "3;x=y\r\nGET\r\n0\r\nT: v\r\n\r\n");
    cases.add(tracked("a body of chunks", chunked, OK + "</s1>", "C" + chunked + S1, "A" + OK));
    cases.add(
        tracked(
            "a reply before the body has come",
            fixed,
            OK + "</s1>",
            "C" + fixed.substring(0, fixed.length() - 3),
            "A" + OK,
            "C" + fixed.substring(fixed.length() - 3) + S1));
    cases.add(
        tracked(
            "a static target with a body is passed",
            "GET /s" + HOST + "Content-Length: 1\r\n\r\nx",
            OK,
            "CGET /s" + HOST + "Content-Length: 1\r\n\r\nx",
            "A" + OK));
    return cases;
  }

  static List<Case> replies() {
    List<Case> cases = new ArrayList<>();
    for (String good :
        List.of(
            reply("200 OK", "Transfer-Encoding: chunked\r\n", "2\r\nok\r\n0\r\nT: v\r\n\r\n"),
            reply("204 No Content", "", ""),
            reply("304 Not Modified", "Content-Length: 7\r\n", ""),
            reply("200", "content-LENGTH:\t 1 \r\nX: " + "y".repeat(2000) + "\r\n", "z"),
            reply("103 Early Hints", "Link: x\r\n", "") + OK,
            reply("100 Continue", "", "") + reply("102 Processing", "", "") + OK,
            "HTTP/1.0 200 OK\r\nConnection: x, Keep-Alive\r\nContent-Length: 0\r\n\r\n")) {
      cases.add(tracked(good, D, good + "</s1>", "C" + D + S1, "A" + good));
    }
    String head = "HEAD /d" + HOST + "\r\n";
    String toHead = reply("200 OK", "Content-Length: 9\r\n", "");
    cases.add(tracked("to HEAD", head, toHead + "</s1>", "C" + head + S1, "A" + toHead));
    String expects = post("Content-Length: 2\r\nExpect: 100-continue\r\n", "");
    String go = reply("100 Continue", "", "");
    cases.add(
        tracked(
            "continued",
            expects + "ab",
            go + OK + "</s1>",
            "C" + expects,
            "A" + go,
            "Cab" + S1,
            "A" + OK));
    cases.add(
        tracked(
            "continued and refused",
            expects + "ab",
            go + OK + "</s1>",
            "C" + expects,
            "A" + go + OK,
            "Cab" + S1));
    cases.add(
        tracked(
            "the body came by itself",
            expects + "ab",
            OK + "</s1>",
            "C" + expects + "a",
            "A" + OK,
            "Cb" + S1));
    String upgrade = "GET /d" + HOST + "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n";
    cases.add(
        tracked("an upgrade that is refused", upgrade, OK + "</s1>", "C" + upgrade + S1, "A" + OK));
    String connect = "CONNECT a:1" + HOST + "\r\n";
    String no = reply("405 No", "Content-Length: 0\r\n", "");
    cases.add(
        tracked("a CONNECT that is refused", connect, no + "</s1>", "C" + connect + S1, "A" + no));
    return cases;
  }

  static List<Case> theApplicationsAlone() {
    List<Case> cases = new ArrayList<>();
    for (String bad :
        List.of(
            post("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
            post("Content-Length: 1\r\nContent-Length: 2\r\n", "ab"),
            "GET /s1 HTTP/1.1\nHost: a\n\n",
            "GET /s1" + HOST + "X: y\r\n z\r\n\r\n",
            "GET /s1" + HOST + "X : y\r\n\r\n",
            "GET /s1" + HOST + "X: " + "y".repeat(1100) + "\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "\0\1\2")) {
      cases.add(
          opaque(
              bad,
              OpaqueReason.REQUEST,
              D + bad + S1,
              OK + "any",
              "C" + D,
              "A" + OK,
              "C" + bad + S1,
              "Aany"));
    }
    cases.add(
        opaque(
            "TLS", OpaqueReason.TLS, "\u0016\3\1" + S1, "\u0016", "C\u0016\3\1" + S1, "A\u0016"));
    String badChunk = post("Transfer-Encoding: chunked\r\n", "1\r\nab\r\n0\r\n\r\n");
    cases.add(
        opaque(
            "a bad chunk",
            OpaqueReason.REQUEST_BODY,
            badChunk + S1,
            OK,
            "C" + badChunk + S1,
            "A" + OK));
    for (String bad :
        List.of(
            reply("200 OK", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
            reply("200 OK", "Content-Length: 1\r\nContent-Length: 1\r\n", "a"),
            reply("200 OK", "Content-Length: +1\r\n", "a"),
            reply("200 OK", "X: y\r\n z\r\nContent-Length: 1\r\n", "a"),
            reply("200 OK", "Content-Length : 1\r\n", "a"),
            reply("200 OK", "Connection: " + "y,".repeat(600) + "\r\n", ""),
            reply("200 OK", "X: y\r\n".repeat(12_000), ""),
            "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/2 200\r\n\r\n",
            "any\r\n")) {
      cases.add(
          opaque(
              bad.length() > 200 ? bad.substring(0, 60) : bad,
              OpaqueReason.REPLY,
              D + S1,
              bad,
              "C" + D + S1,
              "A" + bad));
    }
    String badReply = reply("200 OK", "Transfer-Encoding: chunked\r\n", "x\r\n");
    cases.add(
        opaque(
            "a bad chunk in a reply",
            OpaqueReason.REPLY_BODY,
            D + S1,
            badReply,
            "C" + D + S1,
            "A" + badReply));
    return cases;
  }

  static List<Case> ends() {
    List<Case> cases = new ArrayList<>();
    String closing = reply("200 OK", "Connection: close\r\nContent-Length: 2\r\n", "ok");
    cases.add(
        opaque(
            "the server closes",
            OpaqueReason.SERVER_CLOSES,
            D + S1,
            closing,
            "C" + D + S1,
            "A" + closing));
    String toClose = reply("200 OK", "", "ok");
    cases.add(
        opaque(
            "a reply that the end ends",
            OpaqueReason.SERVER_CLOSES,
            D + S1,
            toClose + S1,
            "C" + D + S1,
            "A" + toClose + S1));
    String coded = reply("200 OK", "Transfer-Encoding: gzip\r\n", "ok");
    cases.add(
        opaque(
            "another coding",
            OpaqueReason.SERVER_CLOSES,
            D + S1,
            coded,
            "C" + D + S1,
            "A" + coded));
    String old = "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok";
    cases.add(opaque("HTTP/1.0", OpaqueReason.SERVER_CLOSES, D + S1, old, "C" + D + S1, "A" + old));
    return cases;
  }

  static List<Case> otherEnds() {
    List<Case> cases = new ArrayList<>();
    String oldRequest = "GET /d HTTP/1.0\r\n\r\n";
    cases.add(
        opaque(
            "a client of HTTP/1.0",
            OpaqueReason.CLIENT_CLOSES,
            oldRequest + S1,
            OK,
            "C" + oldRequest + S1,
            "A" + OK));
    String oldStatic = "GET /s1 HTTP/1.0\r\n\r\n";
    cases.add(
        opaque(
            "a static file for one",
            OpaqueReason.CLIENT_CLOSES,
            "more",
            "</s1>",
            "C" + oldStatic + "more"));
    String closes = "GET /d" + HOST + "Connection: close\r\n\r\n";
    cases.add(
        opaque(
            "the client closes",
            OpaqueReason.CLIENT_CLOSES,
            closes + S1,
            OK,
            "C" + closes + S1,
            "A" + OK));
    cases.add(
        opaque(
            "unsolicited",
            OpaqueReason.UNSOLICITED,
            S1,
            "</s1>" + OK,
            "C" + S1,
            "A" + OK,
            "C" + S1));
    cases.add(
        opaque(
            "one reply too many",
            OpaqueReason.UNSOLICITED,
            D + S1,
            OK + OK,
            "C" + D,
            "A" + OK + OK,
            "C" + S1));
    return cases;
  }

  static List<Case> changes() {
    List<Case> cases = new ArrayList<>();
    String upgrade = "GET /d" + HOST + "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n";
    String switched = reply("101 Switching Protocols", "", "");
    cases.add(
        opaque(
            "upgraded",
            OpaqueReason.UPGRADED,
            upgrade + S1,
            switched + OK,
            "C" + upgrade + S1,
            "A" + switched + OK));
    String connect = "CONNECT a:1" + HOST + "\r\n";
    String connected = reply("200 OK", "", "");
    cases.add(
        opaque(
            "connected",
            OpaqueReason.CONNECTED,
            connect + S1,
            connected + "any",
            "C" + connect + S1,
            "A" + connected + "any"));
    String expects = post("Content-Length: 2\r\nExpect: 100-continue\r\n", "");
    cases.add(
        opaque(
            "refused before the body",
            OpaqueReason.NOT_CONTINUED,
            expects + S1,
            OK,
            "C" + expects,
            "A" + OK,
            "C" + S1));
    return cases;
  }

  static Stream<Case> all() {
    return Stream.of(framed(), replies(), theApplicationsAlone(), ends(), otherEnds(), changes())
        .flatMap(List::stream);
  }

  private static void check(Case one, String how, List<String> steps) {
    FrontRig rig = new FrontRig();
    for (String step : steps) {
      byte[] bytes = step.substring(1).getBytes(StandardCharsets.ISO_8859_1);
      if (step.charAt(0) == 'C') {
        rig.client(bytes);
      } else {
        rig.application(bytes);
      }
    }
    String context = one.name + ", " + how;
    assertThat(rig.toApplication.toString(StandardCharsets.ISO_8859_1))
        .as(context)
        .isEqualTo(one.passed);
    assertThat(rig.toClient.toString(StandardCharsets.ISO_8859_1))
        .as(context)
        .isEqualTo(one.received);
    assertThat(rig.tracker.reason()).as(context).isEqualTo(one.reason);
    assertThat(rig.held()).as(context).isZero();
  }

  @ParameterizedTest
  @MethodSource("all")
  void comesOutTheSameHoweverItIsCut(Case one) {
    check(one, "whole", one.steps);
    List<String> bytes = new ArrayList<>();
    for (int i = 0; i < one.steps.size(); i++) {
      String step = one.steps.get(i);
      int places = Math.min(step.length(), 3000);
      for (int at = 1; at < step.length(); at++) {
        bytes.add(step.charAt(0) + step.substring(at, at + 1));
      }
      for (int at = 2; at < places; at++) {
        List<String> cut = new ArrayList<>(one.steps);
        cut.set(i, step.substring(0, at));
        cut.add(i + 1, step.charAt(0) + step.substring(at));
        check(one, "step " + i + " cut at " + at, cut);
      }
    }
    check(one, "byte by byte", bytes);
  }

  @Test
  void requestsAreHeldBackWhenTooManyRepliesAreOwed() {
    FrontRig rig = new FrontRig();
    byte[] request = D.getBytes(StandardCharsets.ISO_8859_1);
    for (int i = 0; i < FrontTracker.MOST_OWED + 3; i++) {
      rig.client(request);
    }
    assertThat(rig.tracker.owed()).isEqualTo(FrontTracker.MOST_OWED);
    assertThat(rig.held()).isEqualTo(3 * request.length);
    for (int i = 0; i < FrontTracker.MOST_OWED + 3; i++) {
      rig.application(OK.getBytes(StandardCharsets.ISO_8859_1));
    }
    assertThat(rig.tracker.mayAnswer()).isTrue();
    assertThat(rig.held()).isZero();
  }

  @Test
  void anAnswerOutOfTurnIsRefused() {
    FrontRig rig = new FrontRig();
    rig.client(D.getBytes(StandardCharsets.ISO_8859_1));
    assertThat(rig.tracker.mayAnswer()).isFalse();
    assertThatThrownBy(rig.tracker::answer).isInstanceOf(IllegalStateException.class);
  }
}
