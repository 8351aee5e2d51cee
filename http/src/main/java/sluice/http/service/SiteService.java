package sluice.http.service;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.http.files.FileClock;
import sluice.http.files.FileFill;
import sluice.http.files.FileReader;
import sluice.http.files.FileStatus;
import sluice.http.files.FillEvent;
import sluice.http.files.ListingOrder;
import sluice.http.files.SiteAnswer;
import sluice.http.files.SiteFiles;
import sluice.http.files.WatchListener;
import sluice.http.files.WatchTable;
import sluice.http.files.WatchTicket;
import sluice.http.files.WatchedFiles;
import sluice.http.log.Log;
import sluice.http.parse.ContentNegotiation;
import sluice.http.parse.HttpRequest;
import sluice.http.parse.RequestPath;
import sluice.http.reply.HttpReplies;
import sluice.http.reply.LongBodies;
import sluice.http.reply.Resource;
import sluice.http.site.SitePath;
import sluice.http.text.Latin1;
import sluice.loop.Loop;
import sluice.loop.server.LoopEvents;
import sluice.memory.Account;
import sluice.memory.View;

/// The site as served by one loop. It consists of cached replies, the watches that keep them
/// current, and fills in progress. Owned by the loop's thread. Fills run on the slow path and
/// return their results through the inbox.
///
/// A cache hit is served without accessing the file system. Since [#drain] is called before each
/// batch of requests, replies whose files changed before the request was sent have already been
/// invalidated.
///
/// Requests for a path that is being filled wait for that fill. Requests that arrived after it was
/// started may only use its result if nothing has changed since. Otherwise the path is filled again
/// for them.
public final class SiteService implements AutoCloseable {
  private static final long OPEN_FILES_DRAIN_NANOS = 1_000_000_000L;
  private static final int CLOSE_MILLIS = 10_000;
  private static final long RETIRE_NANOS = 50_000_000L;

  /// The memory in addition to twice the cache size, for fills in progress and for replies that are
  /// still being sent after their eviction.
  private static final long SPARE_BYTES = 64L << 20;

  /// The names of the counters.
  public static final List<String> COUNTERS =
      List.of("fills", "evictions", "watch_evictions", "watch_shortages", "watch_overflows");

  /// The names of the gauges.
  public static final List<String> GAUGES =
      List.of("fills_running", "cached_replies", "cached_bytes", "watches");

  private final Loop loop;
  private final SiteFiles files;
  private final @Nullable WatchTable watches;
  private final FileClock clock;
  private final Account memory;
  private final FileFill fill;
  private final LongBodies longBodies;
  private final SiteReplies replies;
  private final ReplyCache cache;
  private final Map<Wanted, Fill> fills = new HashMap<>();
  private final FileStatus scratch = new FileStatus();
  private final WatchListener listener = this::fell;
  private final AtomicInteger running = new AtomicInteger();
  private long fillCount;

  /// The number of calls of [#forget], and its value when all replies were last discarded.
  private final AtomicLong forgets = new AtomicLong();

  private long forgotten;
  private boolean closed;
  private boolean released;
  private boolean draining;

  /// Waits for the result of a fill. Called on the loop's thread, exactly once.
  public interface Waiter {
    void ready(Resource resource);
  }

  /// The key of a fill.
  ///
  /// @param path the path as it was sent
  /// @param order the order of codings and of a listing's rows, as returned by
  ///   [ListingOrder#wanted]
  private record Wanted(ByteBuffer path, int order) {}

  private static final class Fill {
    final byte[] path;
    final long hash;
    final SitePath sitePath;
    final int order;
    final List<Waiter> waiters = new ArrayList<>();

    /// The number of waiters before the fill was started, and the value of `forgotten` at that
    /// time.
    int early;

    long forgotten;

    Fill(byte[] path, long hash, SitePath sitePath, int order) {
      this.path = path;
      this.hash = hash;
      this.sitePath = sitePath;
      this.order = order;
    }

    Wanted wanted() {
      return new Wanted(ByteBuffer.wrap(path), order);
    }
  }

  /// @param opened the files, which are closed with the service
  /// @param clock the clock with which file times are compared
  public SiteService(Loop loop, SiteSettings settings, WatchedFiles opened, FileClock clock) {
    this.loop = loop;
    this.files = opened.files();
    this.watches = opened.watches();
    this.clock = clock;
    long budget = settings.cacheBytes();
    this.memory = new Account(loop.name() + " replies", 2 * budget + SPARE_BYTES);
    this.fill =
        new FileFill(
            settings.site(),
            files,
            watches,
            memory,
            path -> settings.site().compresses(Latin1.text(path.bytes())),
            new FileReader(memory, clock));
    this.longBodies = new LongBodies("sluice-bodies", 2 * budget + SPARE_BYTES);
    this.replies = new SiteReplies(memory, longBodies, settings.site(), settings.rules());
    this.cache = new ReplyCache(budget);
  }

  /// Opens the site for one loop.
  ///
  /// @throws IOException if its root cannot be opened
  public static SiteService open(Loop loop, SiteSettings settings) throws IOException {
    WatchedFiles files =
        WatchedFiles.open(
            settings.site(),
            settings.watches(),
            shortcoming -> Log.LOGGER.log(Level.WARNING, shortcoming));
    return new SiteService(loop, settings, files, FileClock.SYSTEM);
  }

  /// Returns the queue of changes that [#drain] reads, or null if there is none. A single read
  /// serves all services with the same queue, so the other services only need to call [#takeIn].
  public @Nullable Object queue() {
    WatchTable table = watches;
    return table == null ? null : table.queue();
  }

  /// Reads and applies all changes so far.
  public void drain() {
    takeIn(true);
  }

  /// Applies the changes that have been read.
  public void takeIn() {
    takeIn(false);
  }

  private void takeIn(boolean reads) {
    long wanted = forgets.get();
    if (wanted != forgotten) {
      if (forgetNow()) {
        forgotten = wanted;
      }
    }
    WatchTable table = watches;
    if (table != null && reads) {
      table.drain(listener);
    } else if (table != null) {
      table.takeIn(listener);
    }
  }

  /// Drains regularly while files are kept open, so that the space of a deleted file is released
  /// even if there are no requests.
  private void drainWhileOpen() {
    if (!draining && cache.openFiles() > 0) {
      draining = true;
      loop.schedule(
          OPEN_FILES_DRAIN_NANOS,
          () -> {
            draining = false;
            if (!closed) {
              drain();
              drainWhileOpen();
            }
          });
    }
  }

  /// Discards every cached reply, and does not use the results of fills in progress for later
  /// requests. This is needed after changes that inotify does not detect. Requests that are sent
  /// after this method has returned are answered from the files. Any thread may call.
  public void forget() {
    WatchTable table = watches;
    if (table != null) {
      table.expectForget();
    }
    forgets.incrementAndGet();
  }

  /// @return false if no descriptor for the root was available, in which case the call must be
  ///   repeated
  private boolean forgetNow() {
    boolean reopened = true;
    if (watches != null) {
      watches.forget(listener); // the table repeats a failed opening itself
    } else {
      reopened = files.reopenRoot() == 0;
    }
    cache.clear();
    return reopened;
  }

  private void fell(WatchTicket ticket) {
    if (ticket.attachment() instanceof Resource resource) {
      cache.remove(resource);
    }
  }

  /// Returns the resource for a request in the coding that is sent to the client, or null if it is
  /// not known without blocking.
  public @Nullable Resource lookup(HttpRequest request) {
    Resource known = cache.lookup(request.view(), request.pathFrom(), request.pathTo());
    if (known == null) {
      return null;
    }
    int chosen = known.chosen(request);
    Resource resource = known.coding == chosen ? known : cache.find(known, chosen);
    if (resource == null) {
      return null;
    }
    if (isGood(resource)) {
      cache.use(resource);
      return resource;
    }
    cache.remove(resource);
    return null;
  }

  /// Returns true if the first name of a request's path is known not to exist, so that nothing
  /// exists below it either.
  public boolean absent(HttpRequest request) {
    int end = firstNameTo(request);
    Resource known = end < 0 ? null : cache.lookup(request.view(), request.pathFrom(), end);
    return known != null && known.status == 404 && isGood(known);
  }

  /// Looks up the first name of a request's path, for [#absent].
  public void learnFirstName(HttpRequest request, RequestPath canonical) {
    int end = firstNameTo(request);
    int from = request.pathFrom();
    if (end < 0 || cache.lookup(request.view(), from, end) != null) {
      return;
    }
    int length = canonical.parse(request.view(), from, end);
    byte[] name = new byte[end - from];
    request.view().copyTo(from, name, 0, name.length);
    if (length > 0 && Arrays.equals(name, 0, name.length, canonical.bytes(), 0, length)) {
      SitePath path = SitePath.of(name, 0, length);
      int order = ContentNegotiation.order(request);
      request(name, hash(request.view(), from, end), path, order, resource -> {});
    }
  }

  /// Returns the end of the first name of a path with several names, or a negative number for other
  /// paths.
  private static int firstNameTo(HttpRequest request) {
    int from = request.pathFrom() + 1;
    return from >= request.pathTo()
        ? -1
        : request.view().indexOf((byte) '/', from, request.pathTo());
  }

  private boolean isGood(Resource resource) {
    long until = resource.provisionalUntilNanos;
    if (until != 0 && clock.nowNanos() >= until) {
      return false;
    }
    SiteAnswer.Content content = resource.revalidate;
    return content == null || content.stillCurrent(files, scratch);
  }

  public long hash(View view, int from, int to) {
    return cache.hash(view, from, to);
  }

  /// Returns the properties of a request, other than its path, that determine the answer. The
  /// result is passed to [#request].
  public static int wanted(HttpRequest request) {
    return ListingOrder.wanted(request);
  }

  /// Looks up a path on the slow path.
  ///
  /// @param path the path as it was sent, which is the key
  /// @param canonical the canonical form of the path
  /// @param wanted the result of [#wanted] for the request
  public void request(byte[] path, long hash, SitePath canonical, int wanted, Waiter waiter) {
    if (closed) {
      waiter.ready(Resource.bare(path, 503, HttpReplies.RETRY, null, null));
      return;
    }
    Fill started = new Fill(path, hash, canonical, wanted);
    Fill running = fills.get(started.wanted());
    if (running != null) {
      running.waiters.add(waiter);
      return;
    }
    started.waiters.add(waiter);
    start(started);
  }

  private void start(Fill started) {
    started.early = started.waiters.size();
    started.forgotten = forgotten;
    fills.put(started.wanted(), started);
    fillCount++;
    running.incrementAndGet();
    loop.slowPath()
        .execute(() -> {
          long begun = System.nanoTime();
          Resource resource = resolve(started);
          int status = resource.status;
          loop.execute(() -> filled(started, resource));
          running.decrementAndGet();
          if (LoopEvents.recording()) {
            FillEvent.report(Latin1.text(started.path), status, System.nanoTime() - begun);
          }
        });
  }

  private Resource resolve(Fill started) {
    try {
      Resource elsewhere = replies.redirect(started.path, started.sitePath);
      return elsewhere != null
          ? elsewhere
          : replies.resource(
              started.path, started.sitePath, fill.answer(started.sitePath, started.order));
    } catch (RuntimeException | Error e) {
      Log.LOGGER.log(Level.ERROR, () -> "cannot read " + Log.shown(started.path), e);
      return Resource.bare(started.path, 500, new byte[0], null, null);
    }
  }

  private void filled(Fill done, Resource resource) {
    if (closed) {
      done.waiters.forEach(waiter -> waiter.ready(resource));
      resource.release();
      return;
    }
    drain();
    fills.remove(done.wanted());
    boolean current = done.forgotten == forgotten;
    boolean shared = current && resource.stands();
    if (current && resource.cacheable() && cache.insert(resource, done.hash)) {
      WatchTicket ticket = resource.ticket();
      if (ticket != null) {
        ticket.attach(resource);
      }
      drainWhileOpen();
    }
    List<Waiter> waiters = done.waiters;
    int served = shared ? waiters.size() : done.early;
    for (int i = 0; i < served; i++) {
      waiters.get(i).ready(resource);
    }
    if (!resource.cached) {
      resource.release();
    }
    if (served < waiters.size()) {
      Fill again = new Fill(done.path, done.hash, done.sitePath, done.order);
      again.waiters.addAll(waiters.subList(served, waiters.size()));
      start(again);
    }
  }

  /// Returns the counters in the order of [#COUNTERS], followed by the gauges in the order of
  /// [#GAUGES].
  public long[] counts() {
    WatchTable table = watches;
    return new long[] {
      fillCount,
      cache.evictions(),
      table == null ? 0 : table.evictions(),
      table == null ? 0 : table.shortages(),
      table == null ? 0 : table.overflows(),
      fills.size(),
      cache.count(),
      cache.usedBytes(),
      table == null ? 0 : table.watches()
    };
  }

  /// Returns the memory of replies that are cached, being created, or being sent.
  public long heldBytes() {
    return memory.usedBytes();
  }

  public int fillsUnderWay() {
    return running.get();
  }

  long fillCount() {
    return fillCount;
  }

  /// Retires the service while its loop continues to run. It is closed after its fills have
  /// completed and its replies have been sent. Called on the loop's thread.
  public void retire() {
    closed = true;
    cache.clear();
    closeWhenIdle();
  }

  /// Returns true if the service has been closed completely.
  public boolean released() {
    return released;
  }

  private void closeWhenIdle() {
    if (running.get() == 0 && memory.usedBytes() == 0) {
      close();
    } else {
      loop.schedule(RETIRE_NANOS, this::closeWhenIdle);
    }
  }

  /// Closes the service. This method waits for fills in progress, because they use the objects that
  /// are closed. Idempotent.
  @Override
  public void close() {
    if (released) {
      return;
    }
    released = true;
    closed = true;
    cache.clear();
    for (int i = 0; i < CLOSE_MILLIS && running.get() > 0; i++) {
      LockSupport.parkNanos(1_000_000L);
    }
    if (watches != null) {
      watches.close();
    }
    longBodies.close();
    files.close();
  }
}
