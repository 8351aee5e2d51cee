package sluice.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import sluice.http.SimSite.Doc;
import sluice.testkit.sim.SimClient;
import sluice.testkit.sim.SimRandom;
import sluice.testkit.sim.SimWorld;

/// A client in a simulation that pipelines requests of every kind and checks every byte that comes
/// back. Owned by the thread that runs the simulation.
final class SimHttpClient {
  private static final int MAX_GAP_NANOS = 3_000_000;

  private enum Kind {
    WHOLE,
    PART,
    GONE_ON,
    REFUSED
  }

  /// @param floor what the document was when this was sent
  /// @param known version that the entity tag stands for, with GONE_ON
  private record Asked(
      Kind kind, String method, @Nullable Doc doc, int floor, int known, int from, int status) {}

  private final SimWorld world;
  private final SimRandom random;
  private final SimSite site;
  private final SimClient client;
  private final ArrayDeque<Asked> asked = new ArrayDeque<>();
  private final Map<String, Integer> tags = new HashMap<>();
  private final Map<Doc, String> tagOf = new HashMap<>();
  private int burstsLeft;
  private int parsed;
  private boolean stopped;
  private boolean gaveUp;
  private boolean closeExpected;

  SimHttpClient(SimWorld world, SimSite site) {
    this.world = world;
    this.random = world.random();
    this.site = site;
    this.client = world.client().listener(changed -> read());
    this.burstsLeft = random.skewed(8);
  }

  void start(SocketAddress address) {
    world.scheduler().after(random.below(MAX_GAP_NANOS), () -> client.connect(address));
    world.scheduler().after(random.below(MAX_GAP_NANOS), this::burst);
    if (random.chance(80)) {
      gaveUp = true;
      client.resetAfter(random.skewed(20_000_000));
    }
  }

  boolean over() {
    return client.over();
  }

  // ---- requests -----------------------------------------------------------------------------

  private void burst() {
    if (client.over()) {
      return;
    }
    StringBuilder text = new StringBuilder();
    for (int i = random.skewed(10); i > 0 && !stopped; i--) {
      text.append(request());
    }
    client.send(text.toString().getBytes(StandardCharsets.US_ASCII));
    if (--burstsLeft > 0 && !stopped) {
      world.scheduler().after(random.skewed(MAX_GAP_NANOS), this::burst);
    } else {
      client.finish();
    }
  }

  private String request() {
    int choice = random.below(100);
    if (choice < 3) {
      return malformed();
    }
    if (choice < 8) {
      return refused();
    }
    Doc doc = site.anyDoc();
    String method = random.chance(150) ? "HEAD" : "GET";
    List<String> fields = new ArrayList<>();
    Kind kind = Kind.WHOLE;
    int known = 0;
    int from = 0;
    String tag = tagOf.get(doc);
    if (choice < 30 && tag != null) {
      kind = Kind.GONE_ON;
      known = Objects.requireNonNull(tags.get(tag));
      fields.add("If-None-Match: \"x\", " + tag);
    } else if (choice < 45 && method.equals("GET")) {
      kind = Kind.PART;
      from = random.skewed(4_000);
      fields.add("Range: bytes=" + from + "-" + (random.chance(500) ? "" : from + 700));
    } else if (choice < 60) {
      fields.add("Accept-Encoding: gzip");
    }
    if (random.chance(20)) {
      stopped = true;
      fields.add("Connection: close");
    }
    asked.add(new Asked(kind, method, doc, doc.floor, known, from, 0));
    return HttpPeer.text(method, doc.path, fields.toArray(new String[0]));
  }

  private String malformed() {
    stopped = true;
    if (random.chance(300)) {
      return "GET / HTTP/1.1\r\nHost: cut o"; // and nothing more
    }
    asked.add(new Asked(Kind.REFUSED, "GET", null, 0, 0, 0, 400));
    String bad = random.chance(500) ? "BAD\r\n\r\n" : HttpPeer.text("GET", "/", "Host: again");
    return bad + HttpPeer.text("GET", "/never");
  }

  private String refused() {
    return switch (random.below(4)) {
      case 0 -> {
        asked.add(new Asked(Kind.REFUSED, "POST", null, 0, 0, 0, 405));
        String body = "x".repeat(random.below(3_000));
        yield HttpPeer.text("POST", "/d1/", "Content-Length: " + body.length()) + body;
      }
      case 1 -> {
        asked.add(new Asked(Kind.REFUSED, "PUT", null, 0, 0, 0, 405));
        String body = "y".repeat(1 + random.below(300));
        yield HttpPeer.text("PUT", "/d1/", "Transfer-Encoding: chunked")
            + Integer.toHexString(body.length())
            + "\r\n%s\r\n0\r\n\r\n".formatted(body);
      }
      case 2 -> {
        asked.add(new Asked(Kind.REFUSED, "GET", null, 0, 0, 0, 400));
        yield HttpPeer.text("GET", "/../x");
      }
      default -> {
        asked.add(new Asked(Kind.REFUSED, "GET", null, 0, 0, 0, 404));
        yield HttpPeer.text("GET", "/nobody/" + random.below(3));
      }
    };
  }

  // ---- replies ------------------------------------------------------------------------------

  private void read() {
    byte[] all = client.received();
    while (true) {
      int bodyFrom = bodyFrom(all);
      if (bodyFrom < 0) {
        return;
      }
      world.check(!closeExpected, "something comes after Connection: close");
      HttpAnswer head = head(new String(all, parsed, bodyFrom - parsed, StandardCharsets.US_ASCII));
      Asked next = asked.peek();
      if (next == null) {
        throw world.violation("a reply that nobody asked for: " + head);
      }
      boolean empty = next.method.equals("HEAD") || head.status() == 304;
      int length = empty ? 0 : (int) head.contentLength();
      if (all.length - bodyFrom < length) {
        return;
      }
      asked.poll();
      parsed = bodyFrom + length;
      closeExpected = head.closes();
      check(next, head.withBody(Arrays.copyOfRange(all, bodyFrom, parsed)));
    }
  }

  private int bodyFrom(byte[] all) {
    for (int i = parsed; i + 4 <= all.length; i++) {
      if (all[i] == '\r' && all[i + 1] == '\n' && all[i + 2] == '\r' && all[i + 3] == '\n') {
        return i + 4;
      }
    }
    return -1;
  }

  private HttpAnswer head(String text) {
    List<String> lines = List.of(text.strip().split("\r\n", -1));
    world.check(lines.getFirst().startsWith("HTTP/1.1 "), "no status line: " + lines.getFirst());
    int status = Integer.parseInt(lines.getFirst().substring(9, 12));
    return new HttpAnswer(status, lines.subList(1, lines.size()), new byte[0]);
  }

  private void check(Asked ask, HttpAnswer answer) {
    Doc doc = ask.doc;
    if (doc == null) {
      world.check(answer.status() == ask.status, ask + " was answered " + answer.status());
      return;
    }
    String what = "client " + client.id() + ": " + ask + " of " + doc.path + " got " + answer;
    switch (answer.status()) {
      case 200 -> whole(ask, doc, answer, what);
      case 206 -> {
        world.check(ask.kind == Kind.PART, what);
        byte[] part = answer.body();
        String range = answer.the("Content-Range");
        String expected = "bytes %d-%d/".formatted(ask.from, ask.from + part.length - 1);
        world.check(range.startsWith(expected), what + range);
        int total = Integer.parseInt(range.substring(range.indexOf('/') + 1));
        version(ask, doc, what, v -> v.length == total && holds(v, ask.from, part));
      }
      case 304 -> {
        world.check(ask.kind == Kind.GONE_ON, what);
        world.check(Objects.equals(tags.get(answer.the("ETag")), ask.known), what + " another tag");
        world.check(ask.known >= ask.floor, what + " is stale");
      }
      case 404 -> world.check(everWas(ask, doc, null), what + " is not absent");
      case 416 -> version(ask, doc, what, v -> v.length <= ask.from);
      case 503 -> world.check(true, what);
      default -> throw world.violation(what);
    }
  }

  private void whole(Asked ask, Doc doc, HttpAnswer answer, String what) {
    String tag = answer.the("ETag");
    if (ask.method.equals("HEAD")) {
      boolean packed = answer.field("Content-Encoding") != null;
      version(ask, doc, what, v -> packed || v.length == answer.contentLength());
      return;
    }
    byte[] body = unpacked(answer);
    int version = version(ask, doc, what, v -> Arrays.equals(v, body));
    Integer before = tags.put(tag, version);
    world.check(before == null || before == version, "one tag for two versions: " + what);
    tagOf.put(doc, tag);
  }

  private byte[] unpacked(HttpAnswer answer) {
    if (answer.field("Content-Encoding") == null) {
      return answer.body();
    }
    try {
      return new GZIPInputStream(new ByteArrayInputStream(answer.body())).readAllBytes();
    } catch (IOException e) {
      throw world.violation("no gzip: " + e);
    }
  }

  private static boolean holds(byte[] content, int from, byte[] part) {
    int to = from + part.length;
    return to <= content.length && Arrays.equals(content, from, to, part, 0, part.length);
  }

  /// The version that the reply shows, which must not be older than the request.
  private int version(Asked ask, Doc doc, String what, Predicate<byte[]> matches) {
    for (int i = doc.versions.size() - 1; i >= 0; i--) {
      byte[] content = doc.versions.get(i);
      if (content != null && matches.test(content)) {
        world.check(i >= ask.floor, "stale, version " + i + ": " + what);
        return i;
      }
    }
    throw world.violation("no version of " + answerText(doc) + ": " + what);
  }

  private static String answerText(Doc doc) {
    return doc.versions.size() + " versions, now at " + doc.floor;
  }

  private static boolean everWas(Asked ask, Doc doc, byte @Nullable [] content) {
    return doc.versions.subList(ask.floor, doc.versions.size()).contains(content);
  }

  /// At the end: everything was answered, unless the connection had to break. A reply that breaks
  /// off takes with it the replies before that the client has not read yet, as a reset does.
  void check() {
    Asked next = asked.peek();
    boolean broke = asked.stream().anyMatch(ask -> ask.doc != null && ask.doc.rewritten);
    boolean mayMiss = gaveUp || client.brokenByFault() || closeExpected || broke;
    world.check(next == null || mayMiss, "client " + client.id() + " misses the reply to " + next);
  }
}
