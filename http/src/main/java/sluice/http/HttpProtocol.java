package sluice.http;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.http.HttpSession.Stage;
import sluice.http.front.FrontSite;
import sluice.http.front.FrontedConnection;
import sluice.http.handlers.BodyFeed;
import sluice.http.handlers.BoundRoute;
import sluice.http.handlers.HttpExchanges;
import sluice.http.handlers.HttpHandlers;
import sluice.http.handlers.RouteTable;
import sluice.http.handlers.SlowReply;
import sluice.http.log.AccessLog;
import sluice.http.log.AccessLogRecord;
import sluice.http.parse.BodyKind;
import sluice.http.parse.HttpParser;
import sluice.http.parse.HttpRequest;
import sluice.http.parse.RequestPath;
import sluice.http.reply.HttpCounts;
import sluice.http.reply.HttpReplies;
import sluice.http.reply.ReplyGuard;
import sluice.http.reply.Resource;
import sluice.http.service.SiteService;
import sluice.http.site.SitePath;
import sluice.loop.Connection;
import sluice.loop.Loop;
import sluice.loop.Protocol;
import sluice.loop.ReplyTicket;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.engine.TurnClock;
import sluice.memory.Account;
import sluice.memory.View;
import sluice.memory.ViewBinder;
import sluice.memory.block.Block;

/// The HTTP/1.1 protocol on the connections of one loop. It frames requests, answers cache hits
/// immediately, and submits misses to the slow path. Runs on the loop's thread.
///
/// A deferred request closes the connection's gate, so that pipelined replies are sent in order.
/// Request bodies are skipped unless a handler reads them ([HttpHandlers]).
final class HttpProtocol implements Protocol, HttpExchanges {
  /// The maximum size of a request body that is skipped. If a body is longer, the connection is
  /// closed instead.
  private static final long SKIPPED_BODY_BYTES = 1 << 20;

  private static final byte[] ROOT = {'/'};

  private final Loop loop;
  private final TurnClock clock;
  private final HttpConfig config;
  private final HttpHosts hosts;
  private final HttpCounts counts;
  private final HttpParser parser;
  private final HttpRequest request;
  private final RequestPath requestPath;
  private final HttpReplies replies;
  private final RouteTable routes;
  private final HttpHandlers handlers;
  private final HttpAccess access;
  private final HttpClients clients;
  private final @Nullable RequestLog log;
  private final Account heads;
  private final ViewBinder deferred = new ViewBinder(Thread.currentThread());
  private final HttpDeadlines deadlines;

  HttpProtocol(
      Loop loop, HttpConfig config, HttpHosts hosts, RouteTable routes, HttpShared shared) {
    this.loop = loop;
    this.clock = loop.clock();
    this.config = config;
    this.hosts = hosts;
    this.parser = new HttpParser(config.limits());
    this.request = new HttpRequest(config.limits());
    this.requestPath = new RequestPath(config.limits().targetBytes());
    this.replies = new HttpReplies(loop.name(), shared.errors());
    this.counts = replies.counts();
    loop.onClose(replies::close);
    this.routes = routes;
    AccessLog file = shared.log();
    this.log = file == null ? null : new RequestLog(file, request, replies);
    this.clients = new HttpClients(clock, config, replies, shared.clients());
    this.heads =
        new Account(
            loop.name() + " deferred requests",
            (long) config.server().loop().maxConnections() * config.limits().headBytes());
    this.deadlines = new HttpDeadlines(clock, config);
    this.access = new HttpAccess(this, loop, request);
    this.handlers = new HttpHandlers(this, loop, request, replies, deadlines.headerNanos());
    loop.beforeBatch(this::beforeBatch);
  }

  private void beforeBatch() {
    replies.updateDate();
    routes.update();
    hosts.update();
  }

  /// Publishes the counters in a counters file.
  void publishTo(CounterPublisher into) {
    counts.publishTo(into, loop.name());
    hosts.publishTo(into, loop.name());
  }

  HttpCounts counts() {
    return counts;
  }

  /// Discards the cached replies. A request that is sent after this method has returned is not
  /// answered by any of them. Any thread may call.
  void forget() {
    hosts.forget();
  }

  Loop loop() {
    return loop;
  }

  HttpHosts hosts() {
    return hosts;
  }

  // ---- connections --------------------------------------------------------------------------

  @Override
  public void opened(Connection connection) {
    HttpSession session = new HttpSession();
    session.openedNanos = clock.now();
    connection.attach(session);
    if (log != null) {
      session.noteAddress(connection);
    }
    deadlines.idle(connection, session);
    clients.opened(connection, session);
  }

  @Override
  public void overloaded(Connection connection) {
    connection.attach(new HttpSession());
    replies.error(connection.output(), 503, null, HttpReplies.RETRY, HttpReplies.CLOSE);
    connection.close();
  }

  @Override
  public void draining(Connection connection) {
    HttpSession session = session(connection);
    session.close();
    if (!connection.deferred() && session.stage() != Stage.COLLECTING) {
      deadlines.draining(connection, session);
    }
  }

  @Override
  public void timedOut(Connection connection) {
    Stage stage = session(connection).stage();
    if (handlers.cutShort(connection, 408)) {
      return;
    }
    if (stage == Stage.HEAD || stage == Stage.HELD) {
      refuse(connection, 408, null);
    } else {
      connection.close();
    }
  }

  /// Answers 400 if the body is incomplete, even if the client has closed only its own side. No
  /// handler receives an incomplete body as if it were complete.
  @Override
  public void ended(Connection connection, int leftover) {
    if (!handlers.cutShort(connection, 400)) {
      connection.close();
    }
  }

  /// Closes the connection. A partial request gets no reply, since an attacker may have cut it.
  @Override
  public void truncated(Connection connection, int leftover) {
    HttpSession session = session(connection);
    if (session.upload() != null || session.feed() != null || leftover > 0) {
      handlers.abandon(session);
      connection.abort();
    } else {
      connection.close();
    }
  }

  @Override
  public void sent(Connection connection) {
    if (log != null) {
      log.sent(connection, session(connection));
    }
  }

  @Override
  public void closed(Connection connection) {
    closed(connection, connection.attachment());
  }

  void closed(Connection connection, @Nullable Object attached) {
    if (attached instanceof HttpSession session) {
      handlers.abandon(session);
      clients.closed(session);
      if (log != null) {
        log.closed(connection, session);
      }
    }
  }

  HttpParser parser() {
    return parser;
  }

  HttpRequest request() {
    return request;
  }

  /// Returns the path of the request that was most recently made canonical by [#defer] or another
  /// check.
  RequestPath requestPath() {
    return requestPath;
  }

  @Override
  public HttpSession session(Connection connection) {
    if (connection.attachment() instanceof HttpSession session) {
      return session;
    }
    if (connection.attachment() instanceof FrontedConnection fronted
        && fronted.session() instanceof HttpSession session) {
      return session;
    }
    throw new IllegalStateException("a connection without its session");
  }

  @Override
  public int preface(Connection connection, View input) {
    return clients.preface(connection, session(connection), input);
  }

  // ---- requests -----------------------------------------------------------------------------

  @Override
  public int received(Connection connection, View input) {
    HttpSession session = session(connection);
    long before = counts.requests();
    boolean feeds = session.stage() == Stage.FEEDING; // a request that came before
    int used = handle(connection, session, input);
    long answered = counts.requests() - before;
    if (answered > 0) {
      counts.times.took(clock.nanos() - clock.now(), answered);
    }
    if (!feeds) {
      session.deferredNanos = clock.now();
    }
    return used;
  }

  private int handle(Connection connection, HttpSession session, View input) {
    int end = input.length();
    int at = 0;
    while (at < end && session.takesInput(connection)) {
      if (session.stage() == Stage.FEEDING) {
        at = handlers.feed(connection, input, at, end);
        continue;
      }
      if (session.stage() == Stage.SKIPPING) {
        at = session.skip(input, at, end);
        if (at < 0) {
          connection.close(); // the reply has been sent; what follows cannot be parsed
          return end;
        }
        continue;
      }
      if (session.stage() == Stage.COLLECTING) {
        at = handlers.collect(connection, input, at, end);
        continue;
      }
      if (session.lacks(end - at)) {
        break;
      }
      int length = parser.parse(input, at, end, session.scanned(), request);
      if (length == HttpParser.INCOMPLETE) {
        session.awaitHead(end - at);
        break;
      }
      if (length < 0) {
        replies.error(connection.output(), -length, null, HttpReplies.NONE, HttpReplies.CLOSE);
        if (log != null) {
          log.refused(session, input, at, end);
        }
        connection.close();
        return end;
      }
      BoundRoute held = session.heldFor();
      BoundRoute route = held == null ? routes.find(request) : held;
      if (route != null && handlers.waits(route, connection, at + length, end)) {
        break;
      }
      session.taken();
      if (HttpClients.counts(session) && overLimit(connection, session)) {
        at += length;
        continue;
      }
      int next = HttpHandlers.NOT_MINE;
      if (route != null) {
        next =
            hosts.guarded() && refused(connection, session)
                ? at + length
                : handlers.handle(route, connection, input, at + length, end);
      }
      if (next >= 0) {
        at = next;
        continue;
      }
      at += length;
      answer(connection, session);
      if (route == null) { // an interruptlet that declined this request may answer the next
        at = answerAlike(connection, session, input, at, end);
      }
    }
    if (!connection.isOpen()) {
      return end;
    }
    deadlines.update(connection, session, end - at);
    return at;
  }

  /// Refuses a request from an address that exceeds its limits.
  private boolean overLimit(Connection connection, HttpSession session) {
    byte[] refusal = clients.refusal(session);
    if (refusal == null) {
      return false;
    }
    session.requests++;
    finish(connection, 429, refusal, keepAfterBody(session));
    return true;
  }

  /// Answers all following requests immediately if they consist of the same bytes as the previous
  /// one. This is not used with an access log, because each reply is logged individually after it
  /// has been sent.
  ///
  /// @return the start of the next request
  private int answerAlike(Connection connection, HttpSession session, View input, int at, int end) {
    int length = request.headLength();
    if (end - at < 2 * length
        || !replies.isRepeatable()
        || log != null
        || HttpClients.counts(session)
        || session.stage() == Stage.SKIPPING) {
      return at;
    }
    int count = 0;
    while (count < HttpReplies.MOST_REPEATS && request.repeats(input, at + count * length, end)) {
      count++;
    }
    int sent = count < 2 ? 0 : replies.repeat(connection.output(), count);
    session.requests += sent;
    counts.hits += sent;
    return at + sent * length;
  }

  /// @param head the request head, or null if it is incomplete
  @Override
  public void refuse(Connection connection, int status, byte @Nullable [] head) {
    replies.error(connection.output(), status, null, HttpReplies.NONE, HttpReplies.CLOSE);
    RequestLog to = log;
    if (to != null && head != null) {
      withRequest(head, () -> to.replied(connection, session(connection)));
    } else if (to != null) {
      to.refused(session(connection), null, 0, 0);
    }
    connection.close();
  }

  @Override
  public void refuseRequest(Connection connection, int status, byte[] fields) {
    finish(connection, status, fields, keepAfterBody(session(connection)));
  }

  @Override
  public boolean keepAfterBody(Connection connection) {
    return keepAfterBody(session(connection));
  }

  private boolean keepAfterBody(HttpSession session) {
    boolean keep = request.keepAlive() && !session.closing();
    if (request.bodyKind() != BodyKind.NONE) {
      // A client that waits for 100 receives the final status instead and may or may not send the
      // body.
      keep &= !request.expectsContinue() && session.skipBody(request, SKIPPED_BODY_BYTES);
    }
    return keep;
  }

  private void answer(Connection connection, HttpSession session) {
    session.requests++;
    replies.forgetLast();
    boolean keep = keepAfterBody(session);
    byte[] field = connectionField(keep);
    HttpHosts.Served host = hosts.of(request);
    if (host == null) {
      replies.usePages(hosts.main().errors());
      finish(connection, 421, HttpReplies.NONE, keep);
      return;
    }
    replies.usePages(host.errors());
    if (request.hasUnknownExpectation()) {
      finish(connection, 417, with(host, HttpReplies.NONE), false);
      return;
    }
    switch (request.method()) {
      case GET, HEAD -> {
        if (!lookup(connection, host, keep)) {
          return;
        }
      }
      case OPTIONS -> replies.noContent(connection.output(), with(host, HttpReplies.ALLOW), field);
      case POST, PUT, DELETE, PATCH, TRACE, CONNECT -> {
        if (!leadsElsewhere(host)) {
          finish(connection, 405, with(host, HttpReplies.ALLOW), keep);
          return;
        }
        if (!lookup(connection, host, keep)) {
          return;
        }
      }
      case OTHER -> {
        finish(connection, 501, with(host, HttpReplies.NONE), keep);
        return;
      }
    }
    replied(connection, keep);
  }

  /// Returns true if a rule redirects the request. The method is irrelevant because 307 and 308
  /// preserve it.
  private boolean leadsElsewhere(HttpHosts.Served host) {
    return !host.rules().redirects().isEmpty()
        && requestPath.parse(request) >= 0
        && host.rules().redirect(requestPath.toString()) != null;
  }

  /// Returns the given header lines followed by those of the site's rules for the requested path.
  private byte[] with(HttpHosts.Served host, byte[] fields) {
    if (host.rules().headers().isEmpty() || requestPath.parse(request) < 0) {
      return fields;
    }
    return HttpReplies.joined(fields, host.rules().fields(requestPath.toString()));
  }

  /// Answers a request for the site.
  ///
  /// @return false if the answer is deferred to the slow path or has already been sent
  private boolean lookup(Connection connection, HttpHosts.Served host, boolean keep) {
    SiteService files = host.service();
    if (files == null) {
      finish(connection, 404, HttpReplies.NONE, keep);
      return false;
    }
    Resource resource = files.lookup(request);
    if (resource != null && (resource.guard == null || access.admits(connection, resource))) {
      counts.hits++;
      replies.resource(connection, request, resource, connectionField(keep));
      return true;
    }
    if (resource != null && !access.mayBeUnknown(host)) {
      finish(connection, access.status(), with(host, access.fields()), keep);
      return false;
    }
    int length = requestPath.parse(request);
    if (length < 0) {
      finish(connection, -length, HttpReplies.NONE, keep);
      return false;
    }
    if (!defer(files, connection, null)) {
      finish(connection, 503, HttpReplies.RETRY, keep);
    }
    return false;
  }

  /// Refuses a request for a handler if the rules deny this client access to the path.
  private boolean refused(Connection connection, HttpSession session) {
    HttpHosts.Served host = hosts.of(request);
    if (host == null || !host.guarded()) {
      return false;
    }
    int length = requestPath.parse(request);
    if (length < 0) { // an invalid path cannot be compared with a rule
      finish(connection, -length, HttpReplies.NONE, keepAfterBody(session));
      return true;
    }
    ReplyGuard guard = host.rules().guard(requestPath.toString());
    if (guard == null || access.admits(connection, guard)) {
      return false;
    }
    session.requests++;
    replies.usePages(host.errors());
    finish(connection, access.status(), with(host, access.fields()), keepAfterBody(session));
    return true;
  }

  /// Answers the most recently parsed request, which has no body, with a file.
  void answerFile(Connection connection, Resource resource) {
    HttpSession session = session(connection);
    session.requests++;
    replies.forgetLast();
    counts.hits++;
    boolean keep = request.keepAlive() && !session.closing();
    replies.resource(connection, request, resource, connectionField(keep));
    replied(connection, keep);
  }

  private byte[] connectionField(boolean keep) {
    return HttpReplies.connectionField(keep, request.minorVersion());
  }

  @Override
  public void finish(Connection connection, int status, byte[] fields, boolean keep) {
    replies.error(connection.output(), status, request, fields, connectionField(keep));
    replied(connection, keep);
  }

  @Override
  public void replied(Connection connection, boolean keep) {
    if (log != null) {
      log.replied(connection, session(connection));
    }
    if (!keep) {
      connection.close();
    }
  }

  /// Records that the most recently parsed request is answered by staged bytes.
  void noted(Connection connection, int status, long bodyBytes) {
    replies.noted(status, bodyBytes);
    replied(connection, true);
  }

  @Override
  public boolean closing(Connection connection) {
    return session(connection).closing();
  }

  @Override
  public void streams(Connection connection, SlowReply reply, boolean first) {
    RequestLog to = log;
    if (to != null && first) {
      HttpSession session = session(connection);
      withRequest(
          reply.requestHead(), () -> reply.record = to.begin(connection, session, reply.status()));
    }
    if (to != null && reply.record != null) {
      to.grow(connection, reply.record, reply.sentBytes());
    }
  }

  @Override
  public void repliedSlowly(Connection connection, SlowReply reply, boolean keep) {
    RequestLog to = log;
    HttpSession session = session(connection);
    counts.times.took(clock.nanos() - session.deferredNanos, 1);
    AccessLogRecord begun = reply.record;
    if (to != null && begun != null) {
      to.complete(connection, session, begun, reply.sentBytes());
    } else if (to != null) {
      withRequest(reply.requestHead(), () -> to.replied(connection, session));
    }
    BodyFeed rest = handlers.answeredEarly(connection);
    if (keep && (rest == null || session.skipRest(rest, SKIPPED_BODY_BYTES))) {
      deadlines.answered(connection, session);
    } else {
      connection.close();
    }
  }

  /// Parses a stored head again and runs `action` while it is the most recently parsed request.
  private void withRequest(byte[] head, Runnable action) {
    View view = deferred.bind(MemorySegment.ofArray(head), 0, head.length);
    try {
      if (parser.parse(view, 0, head.length, request) == head.length) {
        action.run();
      }
    } finally {
      deferred.unbind();
    }
  }

  // ---- misses -------------------------------------------------------------------------------

  /// Submits the most recently parsed request to the slow path for a look-up.
  ///
  /// @param outcome receives the result if the path is a file, or null if any result is answered
  ///   here
  /// @return false if there is no memory for the request's head
  boolean defer(SiteService files, Connection connection, FrontSite.@Nullable Outcome outcome) {
    counts.misses++;
    View view = request.view();
    int headLength = request.headLength();
    Block head = Block.allocate(heads, headLength);
    if (head == null) {
      return false;
    }
    view.copyTo(request.from(), head.segment(), 0, headLength);
    boolean empty = request.pathFrom() == request.pathTo();
    byte[] path = empty ? ROOT : bytes(view, request.pathFrom(), request.pathTo());
    long hash = files.hash(view, request.pathFrom(), request.pathTo());
    SitePath canonical = SitePath.of(requestPath.bytes(), 0, requestPath.length());
    int wanted = SiteService.wanted(request);
    ReplyTicket ticket = connection.defer();
    Runnable fill =
        () ->
            files.request(
                path,
                hash,
                canonical,
                wanted,
                resource -> ticket.completeHere(new Piece(head, resource, outcome)));
    if (!hosts.guarded() || !access.check(hosts.of(request), fill)) {
      fill.run();
    }
    return true;
  }

  private static byte[] bytes(View view, int from, int to) {
    byte[] bytes = new byte[to - from];
    view.copyTo(from, bytes, 0, bytes.length);
    return bytes;
  }

  /// The answer to a request whose head was stored.
  private final class Piece implements ReplyTicket.Piece {
    private final Block head;
    private final Resource resource;
    private final FrontSite.@Nullable Outcome outcome;

    Piece(Block head, Resource resource, FrontSite.@Nullable Outcome outcome) {
      this.head = head;
      this.resource = resource;
      this.outcome = outcome;
    }

    @Override
    public void stage(Connection connection) {
      replies.updateDate();
      int length = (int) head.lengthBytes();
      View view = deferred.bind(head.segment(), 0, length);
      try {
        if (parser.parse(view, 0, length, request) != length) {
          throw new IllegalStateException("a request that parsed before does not parse again");
        }
        if (outcome != null && resource.status != 200) {
          outcome.declined(connection, view);
          return;
        }
        counts.times.took(clock.nanos() - session(connection).deferredNanos, 1);
        boolean keep = request.keepAlive() && !session(connection).closing() && !bodyUnwanted();
        HttpHosts.Served host = hosts.of(request);
        replies.usePages(host == null ? hosts.main().errors() : host.errors());
        if (resource.guard == null || access.admits(connection, resource)) {
          replies.resource(connection, request, resource, connectionField(keep));
          replied(connection, keep);
        } else {
          byte[] fields = access.fields();
          finish(connection, access.status(), host == null ? fields : with(host, fields), keep);
        }
        if (outcome != null) {
          outcome.given(connection);
        }
      } finally {
        deferred.unbind();
        head.release();
      }
      if (connection.isOpen()) {
        deadlines.idle(connection, session(connection));
      }
    }

    private boolean bodyUnwanted() {
      return request.expectsContinue() || request.contentLength() > SKIPPED_BODY_BYTES;
    }

    @Override
    public void abandoned() {
      head.release();
    }
  }

  /// Returns the size of the heads of requests that are waiting for the slow path.
  long heldBytes() {
    return heads.usedBytes();
  }

  @Override
  public String toString() {
    return "HTTP/1.1 on "
        + loop.name()
        + (hosts.main().service() == null ? "" : ", " + config.site().root());
  }
}
