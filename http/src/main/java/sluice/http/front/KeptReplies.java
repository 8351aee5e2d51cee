package sluice.http.front;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.BodyKind;
import sluice.http.parse.Field;
import sluice.http.parse.HttpMethod;
import sluice.http.parse.HttpRequest;
import sluice.http.parse.RequestPath;
import sluice.http.parse.TargetForm;
import sluice.http.text.Latin1;
import sluice.memory.View;

/// Replies of an application that it has declared cacheable, for all its clients: a part of what
/// [RFC 9111](https://www.rfc-editor.org/rfc/rfc9111) lets a shared cache keep. Any thread may
/// call.
///
/// **Kept** is the whole reply `HTTP/1.1 200` to a `GET`, up to [#MOST_REPLY_BYTES], that says
/// `public` and a `max-age` or `s-maxage`, or whose path has a rule; never one with `no-store`,
/// `private`, `no-cache`, `Set-Cookie`, or a `Vary` of more than `Accept-Encoding`, and never one
/// to a request with `Authorization`, `Range`, a body or `no-store`. It answers requests with the
/// same host, target and `Accept-Encoding` while it is fresh. A client that asks for a new one
/// (`no-cache`, `max-age`) gets it from the application.
///
/// **Nothing outdated.** [#purge] and its like return when no request that comes later can be
/// answered by what was kept or is on its way: a reply is kept only if nothing of its target was
/// ended since its request was passed on. A request with another method than `GET`, `HEAD`,
/// `OPTIONS` or `TRACE` ends what is kept for its target before the first byte of its reply leaves.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | all | any thread | under this object's lock | the same |
public final class KeptReplies {
  /// The longest reply that is kept, with its head.
  public static final int MOST_REPLY_BYTES = 64 << 10;

  private static final int STRIPES = 256;
  private static final byte[] NO_BYTES = {};
  private static final byte SEPARATOR = '\n';
  private static final long MOST_SECONDS = 365L * 24 * 3600;

  /// Fields of a request that make it the application's: its answer may be another one.
  private static final List<String> APPLICATIONS =
      List.of("Authorization", "Cache-Control", "Pragma");

  /// A path whose replies are kept although they do not say so.
  ///
  /// @param path of the request, without a query; `*` at its end stands for anything
  /// @param seconds how long they are fresh
  public record Rule(String path, long seconds) {
    public Rule {
      if (!path.startsWith("/") || seconds <= 0 || seconds > MOST_SECONDS) {
        throw new IllegalArgumentException(
            path + "=" + seconds + ": not PATH=SECONDS. Fix: as /news/*=5");
      }
    }

    /// @param text rules as `/news/*=5,/weather=60`
    /// @throws IllegalArgumentException with the rule that is wrong, and a fix
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

    /// Whether it is for a target. One whose path leads elsewhere once its dot segments are taken
    /// away, or has a `;`, which servers cut off in different ways, is another's, whatever it
    /// begins with: `/news/..%2faccount` must not be kept as news.
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

  /// What has happened since the start.
  ///
  /// @param hits requests that were answered
  /// @param stored replies that were kept
  /// @param kept replies that are kept now
  /// @param bytes of them
  public record Counts(long hits, long stored, int kept, long bytes) {}

  private final long limitBytes;
  private final List<Rule> rules;
  private final LongSupplier clock;
  private final long seed = ThreadLocalRandom.current().nextLong();

  /// By target: how often something was ended, and how many replies are kept.
  private final int[] generations = new int[STRIPES];

  private final int[] keptOf = new int[STRIPES];
  private KeptReply[] table = new KeptReply[64];
  private final ArrayDeque<KeptReply> order = new ArrayDeque<>();
  private long bytes;
  private int count;
  private int put;
  private long hits;
  private long stored;

  /// @param limitBytes of all replies together
  public KeptReplies(long limitBytes, List<Rule> rules) {
    this(limitBytes, rules, System::nanoTime);
  }

  /// @param clock nanoseconds from anywhere
  KeptReplies(long limitBytes, List<Rule> rules, LongSupplier clock) {
    this.limitBytes = limitBytes;
    this.rules = List.copyOf(rules);
    this.clock = clock;
  }

  // ---- for loops ------------------------------------------------------------------------------

  /// The fresh reply to a request, or null. Whether it can be answered at all is told by
  /// [FrontTracker#isAnswerable].
  synchronized @Nullable KeptReply lookup(HttpRequest request) {
    if (count == 0 || !mayBeAnswered(request)) {
      return null;
    }
    KeptReply found = find(request, hash(request, true), true);
    if (found == null && put > 0) {
      found = find(request, hash(request, false), false);
    }
    if (found == null) {
      return null;
    }
    if (!found.isFresh(clock.getAsLong())) {
      remove(found);
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
    KeptReply at = table[slot(hash)];
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

  /// @return where the next part of the key begins, or -1
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

  /// What becomes of the reply to a request that is passed to the application; null when it is
  /// neither kept nor changes anything.
  @Nullable ReplyCapture passed(HttpRequest request) {
    boolean origin = request.targetForm() == TargetForm.ORIGIN;
    boolean changes =
        switch (request.method()) {
          case GET, HEAD, OPTIONS, TRACE, CONNECT -> false;
          default -> origin || request.targetForm() == TargetForm.ABSOLUTE;
        };
    // A body has no meaning for GET (RFC 9110, 9.3.1), but may have one for the application: what
    // it answers then is not for clients that send none.
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
    byte[] key =
        key(
            bytes(view, request.hostFrom(), request.hostTo()),
            Latin1.bytes(target),
            line < 0 ? NO_BYTES : bytes(view, request.valueFrom(line), request.valueTo(line)));
    int stripe = stripe(target);
    boolean ruled = rule(target) != null;
    synchronized (this) {
      return new ReplyCapture(
          this,
          changes,
          ruled,
          new KeptReply.Key(key, hash(key), stripe),
          generations[stripe],
          clock.getAsLong());
    }
  }

  /// The target as origin form has it, which is what keys are made of.
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

  /// Keeps a reply that has come whole, if it may be kept.
  void offer(ReplyCapture capture, byte[] reply, int length) {
    ReplyHead head = ReplyHead.of(reply, length);
    if (head == null || !head.isOk()) {
      return;
    }
    String target = target(capture.key.bytes());
    long seconds = freshSeconds(head, target);
    long age = age(head);
    if (seconds <= age) {
      return;
    }
    byte[] body = Arrays.copyOfRange(reply, head.length(), length);
    KeptReply.Parts parts = KeptReply.Parts.of(head, body, tags(head), age, seconds);
    KeptReply kept = new KeptReply(capture.key, parts, capture.sinceNanos);
    synchronized (this) {
      if (generations[capture.key.stripe()] == capture.generation) {
        insert(kept);
      }
    }
  }

  /// How long a reply is fresh from age 0; 0 when it may not be kept.
  private long freshSeconds(ReplyHead head, String target) {
    Map<String, String> control = head.cacheControl();
    if (control == null
        || control.containsKey("no-store")
        || control.containsKey("private")
        || control.containsKey("no-cache")
        || control.containsKey("must-understand")
        || head.has("set-cookie")
        || !List.of("accept-encoding").containsAll(head.members("vary"))) {
      return 0;
    }
    Rule rule = rule(target);
    if (rule != null) {
      return rule.seconds;
    }
    String lifetime = control.getOrDefault("s-maxage", control.getOrDefault("max-age", ""));
    return control.containsKey("public") ? seconds(lifetime) : 0;
  }

  private @Nullable Rule rule(String target) {
    for (Rule rule : rules) {
      if (rule.covers(target)) {
        return rule;
      }
    }
    return null;
  }

  private static long age(ReplyHead head) {
    return head.has("age") ? Math.max(0, seconds(head.value("age"))) : 0;
  }

  /// @return 0 for what is no number
  private static long seconds(String digits) {
    if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return 0;
    }
    return digits.length() > 9 ? MOST_SECONDS : Math.min(MOST_SECONDS, Long.parseLong(digits));
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

  /// Ends what is kept, and on its way, for the target of a key.
  synchronized void targetChanged(int stripe, byte[] key) {
    int _ = endTarget(stripe, target(key));
  }

  private int endTarget(int stripe, String target) {
    generations[stripe]++;
    return keptOf[stripe] == 0
        ? 0
        : removeIf(each -> each.stripe == stripe && target(each.key).equals(target));
  }

  // ---- for applications -----------------------------------------------------------------------

  /// Keeps a reply for all hosts, whatever codings a client accepts, in place of what there was.
  ///
  /// @param target path and query as they are asked for
  /// @param fields of its head beside Content-Length and Date
  /// @param seconds how long it is fresh
  /// @param tags by which [#purgeTag] ends it
  /// @throws IllegalArgumentException for a target or a field that is none, or a body that is too
  ///   long
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
        KeptReply.Parts.of(head, body.clone(), lower, 0, Math.min(seconds, MOST_SECONDS));
    byte[] key = key(NO_BYTES, target.getBytes(StandardCharsets.ISO_8859_1), NO_BYTES);
    int stripe = stripe(target);
    synchronized (this) {
      targetChanged(stripe, key);
      insert(new KeptReply(new KeptReply.Key(key, hash(key), stripe), parts, clock.getAsLong()));
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

  /// Ends what is kept for a path and query, of all hosts.
  ///
  /// @return how many replies were kept
  public synchronized int purge(String target) {
    return endTarget(stripe(target), target);
  }

  /// Ends all replies with a tag, which they have by [#put] or by the field `Cache-Tag` or
  /// `Surrogate-Key`.
  ///
  /// @return how many replies were kept
  public synchronized int purgeTag(String tag) {
    endAllOnTheirWay(); // their tags are not known yet
    String lower = tag.toLowerCase(Locale.ROOT);
    return removeIf(each -> each.tags.contains(lower));
  }

  /// Ends all.
  ///
  /// @return how many replies were kept
  public synchronized int clear() {
    endAllOnTheirWay();
    return removeIf(each -> true);
  }

  private void endAllOnTheirWay() {
    for (int i = 0; i < STRIPES; i++) {
      generations[i]++;
    }
  }

  public synchronized Counts counts() {
    return new Counts(hits, stored, count, bytes);
  }

  // ---- the table, under the lock --------------------------------------------------------------

  private void insert(KeptReply reply) {
    int charged = reply.chargedBytes();
    if (charged > limitBytes) {
      return;
    }
    removeIf(table[slot(reply.hash)], each -> each.answers(reply.key));
    while (bytes + charged > limitBytes && !order.isEmpty()) {
      KeptReply oldest = order.removeFirst();
      if (oldest.kept && oldest.used && oldest.isFresh(clock.getAsLong())) {
        oldest.used = false;
        order.addLast(oldest);
      } else {
        remove(oldest);
      }
    }
    if (count >= table.length) {
      grow();
    }
    int slot = slot(reply.hash);
    reply.next = table[slot];
    table[slot] = reply;
    reply.kept = true;
    order.addLast(reply);
    count++;
    keptOf[reply.stripe]++;
    put += isPut(reply) ? 1 : 0;
    bytes += charged;
    stored++;
  }

  private static boolean isPut(KeptReply reply) {
    return reply.key[0] == SEPARATOR;
  }

  private int removeIf(Predicate<KeptReply> ended) {
    int removed = 0;
    for (KeptReply first : table.clone()) {
      removed += removeIf(first, ended);
    }
    return removed;
  }

  private int removeIf(@Nullable KeptReply first, Predicate<KeptReply> ended) {
    int removed = 0;
    KeptReply at = first;
    while (at != null) {
      KeptReply next = at.next;
      if (ended.test(at)) {
        remove(at);
        removed++;
      }
      at = next;
    }
    return removed;
  }

  private void remove(KeptReply reply) {
    if (!reply.kept) {
      return;
    }
    int slot = slot(reply.hash);
    KeptReply at = table[slot];
    if (at == reply) {
      table[slot] = reply.next;
    } else {
      while (at != null && at.next != reply) {
        at = at.next;
      }
      if (at != null) {
        at.next = reply.next;
      }
    }
    reply.kept = false;
    count--;
    keptOf[reply.stripe]--;
    put -= isPut(reply) ? 1 : 0;
    bytes -= reply.chargedBytes();
    if (order.size() > 2 * count + 64) {
      order.removeIf(each -> !each.kept);
    }
  }

  private void grow() {
    KeptReply[] old = table;
    table = new KeptReply[2 * old.length];
    for (KeptReply first : old) {
      KeptReply at = first;
      while (at != null) {
        KeptReply next = at.next;
        int slot = slot(at.hash);
        at.next = table[slot];
        table[slot] = at;
        at = next;
      }
    }
  }

  private int slot(long hash) {
    return (int) (hash >>> 32) & table.length - 1;
  }

  // ---- keys -----------------------------------------------------------------------------------

  private static byte[] key(byte[] host, byte[] target, byte[] codings) {
    byte[] key = new byte[host.length + target.length + codings.length + 3];
    int _ = append(key, append(key, append(key, 0, host), target), codings);
    return key;
  }

  private static int append(byte[] key, int at, byte[] part) {
    System.arraycopy(part, 0, key, at, part.length);
    key[at + part.length] = SEPARATOR;
    return at + part.length + 1;
  }

  private static String target(byte[] key) {
    int from = 0;
    while (key[from] != SEPARATOR) {
      from++;
    }
    int to = from + 1;
    while (key[to] != SEPARATOR) {
      to++;
    }
    return new String(key, from + 1, to - from - 1, StandardCharsets.ISO_8859_1);
  }

  private static int stripe(String target) {
    int h = target.hashCode();
    return (h ^ h >>> 8 ^ h >>> 16) & STRIPES - 1;
  }

  /// As [#hash(byte\[\])] of the request's key.
  ///
  /// @param whole with host and codings
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
