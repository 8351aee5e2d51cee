package sluice.http.front;

import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.BodyKind;
import sluice.http.parse.Field;
import sluice.http.parse.HttpMethod;
import sluice.http.parse.HttpRequest;
import sluice.http.parse.RequestPath;
import sluice.http.parse.TargetForm;
import sluice.http.text.Latin1;
import sluice.memory.View;

/// A cache of replies that an application has declared cacheable, shared by all its clients. It
/// implements a subset of the rules of [RFC 9111](https://www.rfc-editor.org/rfc/rfc9111) for
/// shared caches. Any thread may call.
///
/// **Cached** replies are complete `HTTP/1.1 200` replies to `GET` of up to [#MOST_REPLY_BYTES].
/// They must either specify `public` and a `max-age` or `s-maxage`, or have a path with a rule. A
/// reply is never cached if it contains `no-store`, `private`, `no-cache`, `Set-Cookie`, or a
/// `Vary` of more than `Accept-Encoding`, or if its request contained `Authorization`, `Range`, a
/// body or `no-store`. While a cached reply is fresh, it answers requests with the same host,
/// target and `Accept-Encoding`. If a client requests a new reply (`no-cache`, `max-age`), the
/// request is passed to the application.
///
/// **Consistency.** When [#purge] or a similar method returns, no later request is answered by a
/// reply that was cached or in progress before. This is ensured by caching a reply only if no reply
/// of its target was invalidated since its request was forwarded. A request with a method other
/// than `GET`, `HEAD`, `OPTIONS` or `TRACE` invalidates the cached replies of its target before the
/// first byte of its reply is sent, and those of the targets in its `Location` and
/// `Content-Location` before the head is sent completely.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | all | any thread | under this object's lock | the same |
public final class KeptReplies {
  /// The maximum size of a cached reply, including its head.
  public static final int MOST_REPLY_BYTES = 64 << 10;

  private static final byte[] NO_BYTES = {};
  private static final byte SEPARATOR = '\n';

  /// The fields that cause a request to be passed to the application, because they may affect the
  /// reply.
  private static final List<String> APPLICATIONS =
      List.of("Authorization", "Cache-Control", "Pragma");

  /// A path whose replies are cached even if they do not permit it themselves.
  ///
  /// @param path the path of the request without a query; a trailing `*` matches any suffix
  /// @param seconds the number of seconds for which the replies are fresh
  public record Rule(String path, long seconds) {
    public Rule {
      if (!path.startsWith("/") || seconds <= 0 || seconds > ReplyLifetime.MOST_SECONDS) {
        throw new IllegalArgumentException(
            path + "=" + seconds + ": not PATH=SECONDS. Fix: as /news/*=5");
      }
    }

    /// Parses a list of rules.
    ///
    /// @param text the rules, such as `/news/*=5,/weather=60`
    /// @throws IllegalArgumentException if a rule is invalid; the message contains the rule and a
    ///   fix
    public static List<Rule> parse(String text) {
      return Arrays.stream(text.split(",", -1))
          .filter(one -> !one.isBlank())
          .map(one -> {
            int equals = one.lastIndexOf('=');
            try {
              return new Rule(
                  one.substring(0, Math.max(equals, 0)).strip(),
                  Long.parseLong(one.substring(equals + 1).strip()));
            } catch (NumberFormatException e) {
              throw new IllegalArgumentException(
                  one.strip() + ": not PATH=SECONDS. Fix: as /news/*=5", e);
            }
          })
          .toList();
    }

    /// Returns true if the rule applies to a target. The canonical path must also match, so that
    /// `/news/..%2faccount` is not cached as news. A path that contains `;` never matches, because
    /// servers interpret it in different ways.
    boolean covers(String target) {
      int query = target.indexOf('?');
      String asked = query < 0 ? target : target.substring(0, query);
      boolean below = path.endsWith("*");
      String from = below ? path.substring(0, path.length() - 1) : path;
      return (below ? asked.startsWith(from) : asked.equals(from)) && leadsBelow(asked, from);
    }

    private static boolean leadsBelow(String asked, String from) {
      String led = RequestPath.canonical(Latin1.bytes(asked));
      String wanted = RequestPath.canonical(Latin1.bytes(from));
      return led != null && wanted != null && led.startsWith(wanted) && led.indexOf(';') < 0;
    }
  }

  /// Counters since the cache was created.
  ///
  /// @param hits the number of requests that were answered from the cache
  /// @param stored the number of replies that were stored
  /// @param kept the number of replies that are currently cached
  /// @param bytes the size of the replies that are currently cached
  public record Counts(long hits, long stored, int kept, long bytes) {}

  private final List<Rule> rules;
  private final LongSupplier clock;
  private final InstantSource calendar;
  private final long seed = ThreadLocalRandom.current().nextLong();
  private final ReplyTable table;
  private long hits;

  /// @param limitBytes the maximum total size of all replies
  public KeptReplies(long limitBytes, List<Rule> rules) {
    this(limitBytes, rules, System::nanoTime, InstantSource.system());
  }

  /// @param clock returns a time in nanoseconds with an arbitrary origin
  /// @param calendar the time with which the dates of replies are compared
  KeptReplies(long limitBytes, List<Rule> rules, LongSupplier clock, InstantSource calendar) {
    this.table = new ReplyTable(limitBytes);
    this.rules = List.copyOf(rules);
    this.clock = clock;
    this.calendar = calendar;
  }

  // ---- for loops ------------------------------------------------------------------------------

  /// Returns the fresh reply to a request, or null if there is none. The caller must check with
  /// [FrontTracker#isAnswerable] that the request may be answered.
  synchronized @Nullable KeptReply lookup(HttpRequest request) {
    if (table.count() == 0 || !mayBeAnswered(request)) {
      return null;
    }
    KeptReply found = find(request, hash(request, true), true);
    if (found == null && table.hasForAllHosts()) {
      found = find(request, hash(request, false), false);
    }
    if (found == null) {
      return null;
    }
    if (!found.isFresh(clock.getAsLong())) {
      table.remove(found);
      return null;
    }
    found.used = true;
    hits++;
    return found;
  }

  long now() {
    return clock.getAsLong();
  }

  private static boolean mayBeAnswered(HttpRequest request) {
    if (request.minorVersion() < 1
        || !request.keepAlive()
        || request.hasUnknownExpectation()
        || request.targetForm() != TargetForm.ORIGIN
        || request.has(Field.RANGE)
        || request.has(Field.IF_RANGE)
        || request.has(Field.IF_MATCH)
        || request.has(Field.IF_UNMODIFIED_SINCE)
        || request.isRepeated(Field.ACCEPT_ENCODING)
        || request.isRepeated(Field.IF_MODIFIED_SINCE)) {
      return false;
    }
    for (int i = 0; i < APPLICATIONS.size(); i++) {
      if (request.findLine(APPLICATIONS.get(i)) >= 0) {
        return false;
      }
    }
    return true;
  }

  private @Nullable KeptReply find(HttpRequest request, long hash, boolean whole) {
    KeptReply at = table.first(hash);
    while (at != null && (at.hash != hash || !isFor(at.key, request, whole))) {
      at = at.next;
    }
    return at;
  }

  private static boolean isFor(byte[] key, HttpRequest request, boolean whole) {
    View view = request.view();
    int at = match(key, 0, view, whole ? request.hostFrom() : 0, whole ? request.hostTo() : 0);
    at = match(key, at, view, request.targetFrom(), request.targetTo());
    int line = whole ? request.firstLine(Field.ACCEPT_ENCODING) : -1;
    at =
        match(
            key,
            at,
            view,
            line < 0 ? 0 : request.valueFrom(line),
            line < 0 ? 0 : request.valueTo(line));
    return at == key.length;
  }

  /// @return the start of the next part of the key, or -1 if the part does not match
  private static int match(byte[] key, int at, View view, int from, int to) {
    int length = to - from;
    if (at < 0 || at + length >= key.length || key[at + length] != SEPARATOR) {
      return -1;
    }
    for (int i = 0; i < length; i++) {
      if (key[at + i] != view.get(from + i)) {
        return -1;
      }
    }
    return at + length + 1;
  }

  /// Returns the capture of the reply to a request that is forwarded to the application, or null if
  /// the reply is not cached and the request changes nothing.
  @Nullable ReplyCapture passed(HttpRequest request) {
    boolean origin = request.targetForm() == TargetForm.ORIGIN;
    boolean changes =
        switch (request.method()) {
          case GET, HEAD, OPTIONS, TRACE, CONNECT -> false;
          default -> origin || request.targetForm() == TargetForm.ABSOLUTE;
        };
    // A body has no defined meaning for GET (RFC 9110, 9.3.1), but the application may interpret
    // it. The reply to such a request must not be used for clients that send no body.
    boolean keeps =
        request.method() == HttpMethod.GET
            && origin
            && request.bodyKind() == BodyKind.NONE
            && request.minorVersion() == 1
            && !request.has(Field.RANGE)
            && !request.isRepeated(Field.ACCEPT_ENCODING)
            && request.findLine("Authorization") < 0
            && !saysNoStore(request);
    if (!changes && !keeps) {
      return null;
    }
    View view = request.view();
    int line = request.firstLine(Field.ACCEPT_ENCODING);
    String target = pathAndQuery(request);
    String host = view.latin1(request.hostFrom(), request.hostTo());
    KeptReply.Key key =
        key(
            Latin1.bytes(host),
            Latin1.bytes(target),
            line < 0 ? NO_BYTES : bytes(view, request.valueFrom(line), request.valueTo(line)));
    boolean ruled = rule(target) != null;
    synchronized (this) {
      return new ReplyCapture(
          this,
          changes ? host : null,
          ruled,
          key,
          table.generation(key.targetHash()),
          clock.getAsLong());
    }
  }

  /// Returns the target in origin form, which is used in keys.
  private static String pathAndQuery(HttpRequest request) {
    String target = request.view().latin1(request.pathFrom(), request.targetTo());
    return target.startsWith("/") ? target : "/" + target;
  }

  private static boolean saysNoStore(HttpRequest request) {
    int line = request.findLine("Cache-Control");
    while (line >= 0) {
      String value = request.view().latin1(request.valueFrom(line), request.valueTo(line));
      if (value.toLowerCase(Locale.ROOT).contains("no-store")) {
        return true;
      }
      line = request.findLine("Cache-Control", line + 1);
    }
    return false;
  }

  private static byte[] bytes(View view, int from, int to) {
    byte[] bytes = new byte[to - from];
    view.copyTo(from, bytes, 0, bytes.length);
    return bytes;
  }

  /// Stores a complete reply if it may be cached.
  void offer(ReplyCapture capture, byte[] reply, int length) {
    ReplyHead head = ReplyHead.of(reply, length);
    if (head == null || !head.isOk()) {
      return;
    }
    long nowSeconds = calendar.instant().getEpochSecond();
    long nowNanos = clock.getAsLong();
    Rule rule = rule(capture.key.targetText());
    long freshSeconds = ReplyLifetime.seconds(head, rule == null ? 0 : rule.seconds);
    long bornNanos = // RFC 9111, 4.2.3
        Math.min(
            capture.sinceNanos - nanos(ReplyLifetime.ageValue(head)),
            nowNanos - nanos(ReplyLifetime.apparentAge(head, nowSeconds)));
    if (bornNanos + nanos(freshSeconds) - nowNanos <= 0) {
      return;
    }
    byte[] body = Arrays.copyOfRange(reply, head.length(), length);
    KeptReply.Parts parts =
        KeptReply.Parts.of(head.dated(nowSeconds), body, tags(head), freshSeconds);
    KeptReply kept = new KeptReply(capture.key, parts, bornNanos);
    synchronized (this) {
      if (table.generation(capture.key.targetHash()) == capture.generation) {
        table.insert(kept, nowNanos);
      }
    }
  }

  private static long nanos(long seconds) {
    return seconds * 1_000_000_000L;
  }

  private @Nullable Rule rule(String target) {
    for (Rule rule : rules) {
      if (rule.covers(target)) {
        return rule;
      }
    }
    return null;
  }

  private static Set<String> tags(ReplyHead head) {
    Set<String> tags = new HashSet<>(head.members("cache-tag"));
    for (String each : head.value("surrogate-key").toLowerCase(Locale.ROOT).split(" ", -1)) {
      if (!each.isBlank()) {
        tags.add(each);
      }
    }
    return Set.copyOf(tags);
  }

  /// Invalidates the replies for the target of a key, including those in progress.
  synchronized void targetChanged(KeptReply.Key key) {
    int _ = table.endTarget(key.targetHash(), key.target());
  }

  // ---- for applications -----------------------------------------------------------------------

  /// Stores a reply for all hosts and any accepted codings, replacing the previous one.
  ///
  /// @param target the path and query as requested by clients
  /// @param fields the header fields of the reply except for Content-Length and Date
  /// @param seconds the number of seconds for which the reply is fresh
  /// @param tags the tags by which [#purgeTag] removes the reply
  /// @throws IllegalArgumentException if the target or a field is invalid, or the body is too long
  public void put(
      String target, Map<String, String> fields, byte[] body, long seconds, Set<String> tags) {
    if (!target.startsWith("/") || target.chars().anyMatch(c -> c <= ' ' || c > '~')) {
      throw new IllegalArgumentException(
          "not a path and query: " + target + ". Fix: as it is asked for, with %20 for a space");
    }
    if (seconds <= 0 || body.length > MOST_REPLY_BYTES) {
      throw new IllegalArgumentException(
          seconds + " s, " + body.length + " bytes: at least 1 s, at most " + MOST_REPLY_BYTES);
    }
    StringBuilder text = new StringBuilder("HTTP/1.1 200 OK\r\n");
    fields.forEach((name, value) -> text.append(field(name, value)));
    text.append("Content-Length: ").append(body.length).append("\r\n\r\n");
    byte[] bytes = Latin1.bytes(text.toString());
    ReplyHead head = ReplyHead.of(bytes, bytes.length);
    if (head == null) {
      throw new AssertionError("a head without its end");
    }
    Set<String> lower = new HashSet<>();
    tags.forEach(tag -> lower.add(tag.toLowerCase(Locale.ROOT)));
    KeptReply.Parts parts =
        KeptReply.Parts.of(
            head.dated(calendar.instant().getEpochSecond()),
            body.clone(),
            lower,
            Math.min(seconds, ReplyLifetime.MOST_SECONDS));
    KeptReply.Key key = key(NO_BYTES, Latin1.bytes(target), NO_BYTES);
    synchronized (this) {
      targetChanged(key);
      long now = clock.getAsLong();
      table.insert(new KeptReply(key, parts, now), now);
    }
  }

  private static String field(String name, String value) {
    boolean good =
        name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")
            && value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c != 0x7f && c <= 0xff))
            && !name.equalsIgnoreCase("Content-Length")
            && !name.equalsIgnoreCase("Transfer-Encoding");
    if (!good) {
      throw new IllegalArgumentException("not a field of a reply that is put: " + name);
    }
    return name + ": " + value + "\r\n";
  }

  /// Removes the replies for a path and query of all hosts.
  ///
  /// @return the number of replies removed
  public int purge(String target) {
    byte[] bytes = target.getBytes(StandardCharsets.ISO_8859_1);
    long hash = hash(bytes);
    synchronized (this) {
      return table.endTarget(hash, bytes);
    }
  }

  /// Removes all replies with the given tag, which was assigned by [#put] or by the field
  /// `Cache-Tag` or `Surrogate-Key`.
  ///
  /// @return the number of replies removed
  public synchronized int purgeTag(String tag) {
    return table.endTag(tag.toLowerCase(Locale.ROOT));
  }

  /// Removes all replies.
  ///
  /// @return the number of replies removed
  public synchronized int clear() {
    return table.clear();
  }

  public synchronized Counts counts() {
    return new Counts(hits, table.stored(), table.count(), table.bytes());
  }

  // ---- keys -----------------------------------------------------------------------------------

  private KeptReply.Key key(byte[] host, byte[] target, byte[] codings) {
    byte[] key = new byte[host.length + target.length + codings.length + 3];
    int _ = append(key, append(key, append(key, 0, host), target), codings);
    return new KeptReply.Key(key, target, hash(key), hash(target));
  }

  private static int append(byte[] key, int at, byte[] part) {
    System.arraycopy(part, 0, key, at, part.length);
    key[at + part.length] = SEPARATOR;
    return at + part.length + 1;
  }

  /// Hashes the request's key as [#hash(byte\[\])] does.
  ///
  /// @param whole true to include host and codings
  private long hash(HttpRequest request, boolean whole) {
    View view = request.view();
    long h = seed;
    h = mix(h, view, whole ? request.hostFrom() : 0, whole ? request.hostTo() : 0);
    h = mix(h, view, request.targetFrom(), request.targetTo());
    int line = whole ? request.firstLine(Field.ACCEPT_ENCODING) : -1;
    return mix(
        h, view, line < 0 ? 0 : request.valueFrom(line), line < 0 ? 0 : request.valueTo(line));
  }

  private static long mix(long h, View view, int from, int to) {
    long mixed = h;
    for (int i = from; i < to; i++) {
      mixed = mix(mixed, view.get(i));
    }
    return mix(mixed, SEPARATOR);
  }

  private long hash(byte[] key) {
    long h = seed;
    for (byte b : key) {
      h = mix(h, b);
    }
    return h;
  }

  private static long mix(long h, byte b) {
    long mixed = (h ^ b) * 0x9E3779B97F4A7C15L;
    return mixed ^ mixed >>> 29;
  }
}
