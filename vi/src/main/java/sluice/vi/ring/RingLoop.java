package sluice.vi.ring;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Backend;
import sluice.loop.engine.Completion;
import sluice.loop.engine.CompletionSink;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.Token;
import sluice.loop.server.Engines;
import sluice.sys.threads.ThreadEnds;
import sluice.vi.device.Answers;
import sluice.vi.device.Orders;

/// The thread of a device: it turns one engine and calls what its completions belong to. Any thread
/// may hand it work; everything else belongs to the loop's thread.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `woken`, `Task.next` | any thread pushes, the loop takes all | acquire | compare-and-set |
/// | `Task.queued` | any thread, the loop | compare-and-set | volatile |
/// | `asleep` | the loop sets, a waking thread clears | volatile | volatile; compare-and-set |
/// | `orders` | see [Orders] | | |
/// | `stopped` | the closing thread, the loop | volatile | volatile |
/// | the rest | the loop | plain | plain |
///
/// Lifecycle: started → stopped: connections end, the engine is closed by its own thread.
final class RingLoop implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger("sluice.vi");

  /// Received bytes stand in chunks until a receive is posted; [RingConnection] keeps few.
  private static final EngineConfig CONFIG = EngineConfig.DEFAULT.withChunks(1024, 16 << 10);

  private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /// How long connections may take to say farewell when the device is closed.
  private static final long FAREWELL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final VarHandle WOKEN;
  private static final VarHandle QUEUED;
  private static final VarHandle ASLEEP;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      WOKEN = lookup.findVarHandle(RingLoop.class, "woken", Task.class);
      ASLEEP = lookup.findVarHandle(RingLoop.class, "asleep", boolean.class);
      QUEUED = lookup.findVarHandle(Task.class, "queued", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /// What completions belong to. Of the loop's thread.
  interface Handler {
    void completed(int op, int result, long flags);

    /// A while has passed: what has a deadline looks at the clock.
    ///
    /// @param stops whether the loop ends: what can end at once does
    void sweep(long now, boolean stops);

    /// The loop has died: nothing is sent or received any more.
    default void died() {}
  }

  /// Work that comes again and again: waking for it makes no object.
  abstract static class Task {
    private @Nullable Task next;

    @SuppressWarnings("unused") // through QUEUED
    private boolean queued;

    /// In the loop's thread.
    abstract void run();
  }

  private final Orders orders = new Orders();

  /// What waits for the kernel to have what the loop has staged before.
  private final ArrayDeque<Runnable> submitted = new ArrayDeque<>();

  private final List<@Nullable Handler> handlers = new ArrayList<>();
  private final List<Integer> generations = new ArrayList<>();
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  private final Thread thread;
  private final CompletableFuture<Boolean> started = new CompletableFuture<>();
  private @Nullable Engine engine;
  private final CompletionSink sink = this::completed;
  private long swept = System.nanoTime();
  private volatile boolean stopped;
  private int open;

  @SuppressWarnings("unused") // through WOKEN
  private @Nullable Task woken;

  @SuppressWarnings("unused") // through ASLEEP
  private boolean asleep;

  /// @param choice of what was wanted
  RingLoop(Backend wanted, Engines.Choice choice) throws IOException {
    thread =
        Thread.ofPlatform().daemon().name("sluice-vi-ring").unstarted(() -> run(wanted, choice));
    thread.start();
    boolean _ = Answers.await(started, "the loop");
  }

  // ---- any thread ----------------------------------------------------------------------------

  /// Has the loop do something once.
  ///
  /// @return false when the loop has been stopped: it is not done
  boolean order(Runnable order) {
    if (!orders.add(order)) {
      return false;
    }
    wake();
    return true;
  }

  /// Has the loop run a task soon, once for all calls before it runs.
  void wake(Task task) {
    if (!QUEUED.compareAndSet(task, false, true)) {
      return;
    }
    Task first;
    do {
      first = (Task) WOKEN.getVolatile(this);
      task.next = first;
    } while (!WOKEN.compareAndSet(this, first, task));
    wake();
  }

  private void wake() {
    Engine turning = engine;
    if (turning != null
        && (boolean) ASLEEP.getVolatile(this)
        && ASLEEP.compareAndSet(this, true, false)) {
      turning.wake();
    }
  }

  // ---- the loop's thread ---------------------------------------------------------------------

  private void run(Backend wanted, Engines.Choice choice) {
    try (Engine opened = Engines.open(wanted, choice, CONFIG).engine()) {
      engine = opened;
      started.complete(true);
      while (!stopped) {
        turn(opened);
      }
      farewell(opened);
    } catch (IOException | RuntimeException | Error e) {
      died(e);
    }
  }

  /// Nothing is sent any more, but what is posted is returned.
  private void died(Throwable why) {
    stopped = true;
    if (started.completeExceptionally(why)) {
      return;
    }
    LOGGER.log(Level.ERROR, "the thread of the device ring has died", why);
    for (int i = 0; i < handlers.size(); i++) {
      Handler handler = handlers.get(i);
      if (handler != null) {
        handler.died();
      }
    }
    orders.end();
  }

  private void turn(Engine turning) {
    orders.run();
    runTasks();
    ASLEEP.setVolatile(this, true);
    boolean more =
        WOKEN.getVolatile(this) != null || !orders.isEmpty() || stopped || !submitted.isEmpty();
    turn(turning, more ? 0 : open > 0 ? SWEEP_NANOS * 10 : -1);
    ASLEEP.setVolatile(this, false);
    long now = System.nanoTime();
    if (now - swept > SWEEP_NANOS) {
      sweep(now, false);
    }
  }

  private void turn(Engine turning, long wait) {
    int due = submitted.size();
    int _ = turning.turn(wait, sink);
    turning.sockets().arena().reclaim();
    for (int i = 0; i < due; i++) {
      submitted.remove().run();
    }
  }

  private void sweep(long now, boolean stops) {
    swept = now;
    for (int i = 0; i < handlers.size(); i++) {
      Handler handler = handlers.get(i);
      if (handler != null) {
        handler.sweep(now, stops);
      }
    }
  }

  private void farewell(Engine turning) {
    orders.end();
    runTasks();
    long end = System.nanoTime() + FAREWELL_NANOS;
    sweep(System.nanoTime(), true);
    while ((open > 0 || !submitted.isEmpty()) && System.nanoTime() - end < 0) {
      turn(turning, SWEEP_NANOS);
      sweep(System.nanoTime(), true);
    }
  }

  private void runTasks() {
    Task task = (Task) WOKEN.getAndSet(this, null);
    while (task != null) {
      Task next = task.next;
      task.next = null;
      QUEUED.setVolatile(task, false); // what comes from now on wakes again
      task.run();
      task = next;
    }
  }

  private void completed(long token, int result, long flags) {
    int slot = Token.index(token);
    Handler handler = slot < handlers.size() ? handlers.get(slot) : null;
    if (handler != null && generations.get(slot) == Token.generation(token)) {
      handler.completed(Token.op(token), result, flags);
    } else if (Completion.hasChunk(flags)) {
      sockets().arena().block(Completion.chunk(flags)).release();
    }
  }

  /// Runs a task when the kernel has got all that is staged now: a closed socket is closed then. In
  /// the loop's thread.
  void whenSubmitted(Runnable task) {
    submitted.add(task);
  }

  KernelTransport sockets() {
    Engine turning = engine;
    if (turning == null) {
      throw new IllegalStateException("the loop has not started");
    }
    return turning.sockets();
  }

  /// Gives a handler its number.
  int add(Handler handler) {
    open++;
    Integer slot = free.poll();
    if (slot != null) {
      handlers.set(slot, handler);
      return slot;
    }
    handlers.add(handler);
    generations.add(1);
    return handlers.size() - 1;
  }

  long token(int op, int slot) {
    return Token.of(op, generations.get(slot), slot);
  }

  void remove(int slot) {
    open--;
    handlers.set(slot, null);
    generations.set(slot, Token.nextGeneration(generations.get(slot)));
    free.add(slot);
  }

  /// Ends all connections and the thread.
  @Override
  public void close() {
    stopped = true;
    wake();
    if (thread != Thread.currentThread()) {
      ThreadEnds.join(thread);
    }
  }
}
