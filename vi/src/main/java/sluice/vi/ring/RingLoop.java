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

/// The thread of a device, which runs one engine and dispatches its completions to handlers. Any
/// thread may submit work. All other methods are reserved for the loop's thread.
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
/// Lifecycle: started → stopped. The connections are then closed, and the engine is closed by its
/// own thread.
final class RingLoop implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger("sluice.vi");

  /// The configuration of the engine. Received bytes remain in chunks until a receive is posted,
  /// but [RingConnection] limits their number.
  private static final EngineConfig CONFIG = EngineConfig.DEFAULT.withChunks(1024, 16 << 10);

  private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /// The time in which connections can send their last bytes when the device is closed.
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

  /// The handler of completions. Owned by the loop's thread.
  interface Handler {
    void completed(int op, int result, long flags);

    /// Checks deadlines. Called periodically.
    ///
    /// @param stops true if the loop is terminating and everything that can end immediately should
    ///   end
    void sweep(long now, boolean stops);

    /// Handles the failure of the loop, after which nothing is sent or received any more.
    default void died() {}
  }

  /// A recurring task, which can be scheduled without allocating an object.
  abstract static class Task {
    private @Nullable Task next;

    @SuppressWarnings("unused") // through QUEUED
    private boolean queued;

    /// Runs the task. Called on the loop's thread.
    abstract void run();
  }

  private final Orders orders = new Orders();

  /// The actions that wait until the operations that the loop has staged have been submitted to the
  /// kernel.
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

  /// @param choice the choice for the requested backend
  RingLoop(Backend wanted, Engines.Choice choice) throws IOException {
    thread =
        Thread.ofPlatform().daemon().name("sluice-vi-ring").unstarted(() -> run(wanted, choice));
    thread.start();
    boolean _ = Answers.await(started, "the loop");
  }

  // ---- any thread ----------------------------------------------------------------------------

  /// Runs an action once on the loop's thread.
  ///
  /// @return false if the loop has been stopped, so that the action will not run
  boolean order(Runnable order) {
    if (!orders.add(order)) {
      return false;
    }
    wake();
    return true;
  }

  /// Schedules a task to run soon on the loop's thread. Several calls before it runs have the same
  /// effect as a single one.
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

  /// Handles the failure of the loop. Nothing is sent any more, but posted descriptors are
  /// returned.
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

  /// Runs an action after all currently staged operations have been submitted to the kernel, at
  /// which time a closed socket has actually been closed. Called on the loop's thread.
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

  /// Registers a handler and returns its number.
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

  /// Closes all connections and terminates the thread.
  @Override
  public void close() {
    stopped = true;
    wake();
    if (thread != Thread.currentThread()) {
      ThreadEnds.join(thread);
    }
  }
}
