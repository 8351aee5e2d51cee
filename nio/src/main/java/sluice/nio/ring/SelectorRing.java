package sluice.nio.ring;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Completion;
import sluice.loop.engine.StarvedReceives;
import sluice.loop.engine.Token;
import sluice.loop.uring.ReceiveArena;
import sluice.sys.EventFd;
import sluice.sys.PollFds;
import sluice.sys.Sockets;
import sluice.sys.uring.CompletionQueue;
import sluice.sys.uring.IoUring;
import sluice.sys.uring.RingDriver;
import sluice.sys.uring.SubmissionQueue;

/// The ring of one [CompletionSelector]. A single system call sends staged bytes, waits, and
/// delivers received bytes. The ring is owned by the platform thread that opened it in its first
/// select. Other threads may only call the methods that document it.
///
/// Completions are only produced during a turn (`DEFER_TASKRUN`). While no turn is running, the
/// kernel therefore receives nothing for the ring, and it is sufficient for another thread to hold
/// the turn lock in order to read a socket with an armed receive or to detach a channel. The ring's
/// descriptor is not registered with the thread, so that another thread can close the ring.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `ports`, `sending` and the queues | owner, in a turn | plain, under the turn lock | the same |
/// | `touched` | owner | plain | plain |
/// | `requests` | any thread | concurrent queue | concurrent queue |
/// | `lockSeekers` | any thread | atomic | atomic |
/// | `foreign`, `dead`, `abandoned`, `turns` | any thread / owner | volatile | volatile |
///
/// Lifecycle: opened by its owner → running turns → closed by the owner, or abandoned by another
/// thread that takes over the selector.
final class SelectorRing {
  private static final int SUBMISSION_ENTRIES = 256;
  private static final int COMPLETION_ENTRIES = 2048;
  private static final int BUFFER_ENTRIES = 256;
  private static final int FIRST_PIECES = 2;
  private static final int STAGING_FROM = 2;

  /// The number of entries required to cancel all operations of a port.
  private static final int CANCELLATIONS = 2;

  /// The time that a turn sleeps if staged bytes could not be sent.
  private static final long TIMEOUT_NANOS = 1_000_000;

  private static final int SILENT =
      Sockets.MSG_WAITALL | Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;

  /// The buffer into which the kernel reads wake events. It is never read and never freed, because
  /// the kernel may still write to it on behalf of an abandoned ring.
  private static final MemorySegment WAKES = Arena.global().allocate(Long.BYTES, Long.BYTES);

  private final Thread owner = Thread.currentThread();
  private final IoUring ring;
  private final SubmissionQueue submission;
  private final CompletionQueue completion;
  private final RingDriver driver;
  private final RingDriver.Sink completions = this::dispatch;
  private final EventFd wakeEvent;
  private final ReceiveArena arena;
  private final StagePool stages = new StagePool();
  private final EpollSet others;

  /// The lock that the owner holds during a turn, and that other threads acquire to exclude turns.
  /// It is fair so that a waiting thread acquires it between two turns of the owner.
  private final ReentrantLock turnLock = new ReentrantLock(true);

  /// The number of threads about to acquire the turn lock. A single wake-up may serve several of
  /// them and may end a turn before all of them wait, so no turn sleeps while this is nonzero.
  private final AtomicInteger lockSeekers = new AtomicInteger();

  private @Nullable RingPort[] ports = new RingPort[64];
  private int[] generations = new int[64];
  private int[] free = new int[64];
  private int freeCount;
  private int used;

  /// The streams with staged bytes for the next turn, and those of the current turn.
  private ArrayList<RingStream> dirty = new ArrayList<>();

  private ArrayList<RingStream> sending = new ArrayList<>();
  private final StarvedReceives<RingPort> starved = new StarvedReceives<>();

  /// The ports to arm when the ring next enters the kernel. They are not armed earlier, because a
  /// staged operation refers to a descriptor by its number, and while no turn is running another
  /// thread may close that descriptor and reuse its number for another file.
  private final ArrayList<RingPort> touched = new ArrayList<>();

  /// The keys that were made ready by completions.
  private final ArrayList<NioKey> ready = new ArrayList<>();

  /// The ports that other threads want to arm again, or have detached and want to cancel.
  private final ConcurrentLinkedQueue<RingPort> requests = new ConcurrentLinkedQueue<>();

  private boolean staging;
  private volatile boolean abandoned;
  private boolean wakeArmed;
  private boolean othersArmed;
  private boolean othersReady;

  /// True if other threads write to channels of this ring, in which case a turn delivers the
  /// results of its sends before it sleeps.
  private volatile boolean foreign;

  private volatile boolean dead;
  private volatile boolean sleeping;
  private volatile int turns;
  private volatile boolean staged;
  private volatile boolean watched;

  private SelectorRing(IoUring ring, EpollSet others, EventFd wakeEvent) throws IOException {
    this.ring = ring;
    this.submission = ring.submission();
    this.completion = ring.completion();
    this.driver = new RingDriver(ring);
    this.others = others;
    this.wakeEvent = wakeEvent;
    this.arena = new ReceiveArena(ring, RingMemory.STORE, BUFFER_ENTRIES, FIRST_PIECES);
  }

  /// Opens a ring that is owned by the calling thread.
  ///
  /// @param others the selector's channels that use no ring
  /// @throws IOException if the kernel rejects the setup, or the rings' memory is exhausted
  static SelectorRing open(EpollSet others) throws IOException {
    IoUring ring =
        IoUring.open(
            SUBMISSION_ENTRIES,
            COMPLETION_ENTRIES,
            IoUring.SETUP_SINGLE_ISSUER | IoUring.SETUP_DEFER_TASKRUN);
    try {
      EventFd wakeEvent = EventFd.open(false);
      try {
        return new SelectorRing(ring, others, wakeEvent);
      } catch (IOException | RuntimeException e) {
        wakeEvent.close();
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      ring.close();
      throw e;
    }
  }

  /// Returns true if the calling thread owns the ring.
  boolean isOwner() {
    return Thread.currentThread() == owner;
  }

  Thread owner() {
    return owner;
  }

  boolean isDead() {
    return dead;
  }

  StagePool stages() {
    return stages;
  }

  SubmissionQueue submission() {
    return submission;
  }

  // ---- channels -------------------------------------------------------------------------------

  /// Allocates a slot for a new port.
  int takeSlot() {
    if (freeCount > 0) {
      return free[--freeCount];
    }
    if (used == ports.length) {
      ports = Arrays.copyOf(ports, 2 * used);
      generations = Arrays.copyOf(generations, 2 * used);
    }
    return used++;
  }

  int generation(int slot) {
    return generations[slot];
  }

  void put(RingPort port) {
    ports[port.slot] = port;
  }

  /// Frees the slot of a port if the kernel has no more operations for it.
  private void dropIfIdle(RingPort port) {
    if (port.armed || port.pollArmed || ports[port.slot] != port) {
      return;
    }
    ports[port.slot] = null;
    generations[port.slot] = Token.nextGeneration(generations[port.slot]);
    if (freeCount == free.length) {
      free = Arrays.copyOf(free, 2 * freeCount);
    }
    free[freeCount++] = port.slot;
  }

  /// Detaches a channel from the ring. When this method returns, the ring receives nothing more for
  /// the channel, and the bytes that it had received are in the port. Any thread may call,
  /// including a thread that holds the channel's locks. The method is idempotent.
  ///
  /// @return true if the kernel has also released the descriptor
  boolean detach(RingPort port) {
    lockTurn();
    try {
      boolean first = port.attached;
      if (first) {
        port.attached = false;
        port.detached();
      }
      if (dead) {
        return !abandoned;
      }
      if (!isOwner()) {
        if (first) {
          requests.add(port);
        }
        return !port.armed && !port.pollArmed;
      }
      answerRequests(); // the crossings below would receive for channels that others took away
      cancel(port);
      for (int round = 0; (port.armed || port.pollArmed) && round < 1000; round++) {
        enterAndDrain(0);
      }
      dropIfIdle(port);
      return !port.armed && !port.pollArmed;
    } finally {
      turnLock.unlock();
    }
  }

  private void cancel(RingPort port) {
    if (port.armed && !port.cancelling) {
      port.cancelling = true;
      submission.cancel(
          port.token(port instanceof RingStream ? RingOperation.RECEIVE : RingOperation.ACCEPT),
          SubmissionQueue.IGNORED);
    }
    if (port.pollArmed) {
      submission.pollRemove(port.token(RingOperation.WRITABLE), SubmissionQueue.IGNORED);
    }
  }

  /// Stops a receive or accept because the channel holds enough. Called by the owner.
  void stop(RingPort port) {
    if (port.armed && !port.cancelling) {
      cancel(port);
    }
  }

  /// Schedules a port to be armed when the ring next enters the kernel. Called by the owner.
  void touch(RingPort port) {
    if (!port.touched) {
      port.touched = true;
      touched.add(port);
    }
  }

  private void armTouched() {
    for (int i = 0; i < touched.size(); i++) {
      RingPort port = touched.get(i);
      port.touched = false;
      if (port.attached) {
        port.arm();
      }
    }
    touched.clear();
  }

  /// Requests that the owner examine a port. Any thread may call.
  void request(RingPort port) {
    requests.add(port);
    wakeIfSleeping();
  }

  /// Waits until no turn is running and acquires the lock, which excludes turns. Any thread may
  /// call.
  private void lockTurn() {
    if (!turnLock.tryLock()) {
      lockSeekers.incrementAndGet();
      try {
        wake();
        turnLock.lock();
      } finally {
        lockSeekers.decrementAndGet();
      }
    }
  }

  /// Tries to exclude turns without waiting. Any thread may call.
  ///
  /// @return true if the lock was acquired, which must be released by [#unlockTurn]
  boolean tryLockTurn() {
    return turnLock.tryLock();
  }

  void unlockTurn() {
    turnLock.unlock();
  }

  /// Waits until the sends of the current turn have completed. Any thread but the owner may call.
  void awaitSends() {
    foreign = true;
    lockTurn();
    turnLock.unlock();
  }

  /// Queues a stream that has staged bytes. Called by the owner between turns. If another thread
  /// closes the ring concurrently, the stream has been detached when this method returns.
  void dirty(RingStream stream) {
    turnLock.lock(); // the flusher may be looking
    try {
      dirtyAgain(stream);
    } finally {
      turnLock.unlock();
    }
  }

  /// Returns true if the flusher watches this ring. The flag is set by the flusher and by the
  /// owner, under the flusher's lock.
  boolean watched() {
    return watched;
  }

  void watched(boolean value) {
    watched = value;
  }

  /// Queues a stream whose staged bytes must wait for another turn. Called by the owner in a turn.
  void dirtyAgain(RingStream stream) {
    dirty.add(stream);
    if (!staged) {
      staged = true;
      if (!watched) {
        Flusher.watch(this);
      }
    }
  }

  /// Returns true if staging writes is worthwhile: it requires more than one ready connection.
  boolean staging() {
    return staging;
  }

  /// Determines whether writes are staged. Called by the owner.
  ///
  /// @param readyKeys the number of keys that the current select reports
  void expect(int readyKeys) {
    staging = readyKeys >= STAGING_FROM;
  }

  /// Runs a turn outside of a select without waiting. Called by the owner.
  void turnNow() {
    turn(0);
  }

  /// Records that a receive failed because there was no free chunk. Called by the owner, in a turn.
  void starved(RingPort port) {
    starved.add(port);
  }

  // ---- turning --------------------------------------------------------------------------------

  /// Runs one turn. Called by the owner.
  ///
  /// @param nanos the timeout, 0 to return immediately, or a negative number to wait indefinitely
  void turn(long nanos) {
    turnLock.lock();
    try {
      if (dead) {
        return; // another thread has taken the selector over
      }
      answerRequests();
      rearmStarved();
      armTouched();
      stageSends();
      armWakeAndOthers();
      long wait = hasNews() ? 0 : nanos;
      if (wait != 0 && foreign && !sending.isEmpty()) {
        enterAndDrain(0);
        settleSends();
        armTouched();
        wait = hasNews() ? 0 : wait;
      }
      if (wait != 0 && !dirty.isEmpty()) { // a writer that is about to end keeps its channel
        wait = wait < 0 ? TIMEOUT_NANOS : Math.min(wait, TIMEOUT_NANOS);
      }
      sleeping = wait != 0;
      enterAndDrain(requests.isEmpty() ? wait : 0);
      settleSends();
      int done = turns; // only this thread writes it
      turns = done + 1;
    } finally {
      sleeping = false;
      turnLock.unlock();
    }
  }

  /// Returns true if the selector must first handle completions of this turn or of earlier ones, or
  /// if another thread is waiting for the turn to end.
  private boolean hasNews() {
    return completion.available() > 0
        || othersReady
        || !ready.isEmpty()
        || !wakeArmed
        || lockSeekers.get() > 0;
  }

  /// Handles the requests of other threads before anything else is submitted. If another thread has
  /// detached a channel, the channel's bytes belong to the thread that reads from it now. The
  /// kernel carries out submitted cancellations before it receives.
  private void answerRequests() {
    RingPort port = requests.poll();
    while (port != null) {
      if (ports[port.slot] == port) {
        if (port.attached) {
          touch(port);
        } else {
          if (submission.staged() > SUBMISSION_ENTRIES - CANCELLATIONS) {
            int _ = ring.submit(); // without receiving for those that are still to be cancelled
          }
          cancel(port);
          dropIfIdle(port);
        }
      }
      port = requests.poll();
    }
  }

  private void rearmStarved() {
    if (starved.isEmpty()) {
      return;
    }
    arena.publish();
    if (!arena.hasShown()) { // slow readers hold all there is
      for (int i = 0; i < used; i++) {
        if (ports[i] instanceof RingStream stream) {
          stream.relieve();
        }
      }
      arena.publish();
    }
    // Makes at least one attempt even if there is no free chunk, so that the next turn cannot sleep
    // forever.
    starved.feed(Math.max(1, arena.free()), port -> true, this::touch);
  }

  private void stageSends() {
    if (dirty.isEmpty()) {
      return;
    }
    ArrayList<RingStream> todo = dirty;
    dirty = sending;
    sending = todo;
    staged = false;
    int kept = 0;
    for (int i = 0; i < todo.size(); i++) {
      RingStream stream = todo.get(i);
      if (stream.stageSend()) {
        todo.set(kept++, stream);
      }
    }
    for (int i = todo.size() - 1; i >= kept; i--) {
      todo.remove(i);
    }
  }

  /// Stages one send, whose result is known after the ring has entered the kernel in this turn.
  void send(RingStream stream, int fd, long offset, int length) {
    submission.send(
        fd,
        false,
        RingMemory.region(),
        offset,
        length,
        SILENT,
        true,
        stream.token(RingOperation.SEND));
  }

  private void settleSends() {
    if (sending.isEmpty()) {
      return;
    }
    for (int i = 0; i < sending.size(); i++) {
      sending.get(i).settleSend();
    }
    sending.clear();
  }

  private void armWakeAndOthers() {
    if (!wakeArmed) {
      wakeArmed = true;
      submission.read(wakeEvent.fd(), WAKES, 0, Long.BYTES, -1, Token.of(RingOperation.WAKE, 0, 0));
    }
    if (!othersArmed && others.size() > 0) {
      othersArmed = true;
      submission.pollAdd(others.fd(), PollFds.POLLIN, false, Token.of(RingOperation.OTHERS, 0, 0));
    }
  }

  private void publishAndEnter(long nanos) {
    arena.publish();
    driver.turn(nanos);
  }

  /// Enters the kernel, and returns when it has accepted all staged operations.
  private void enterAndDrain(long nanos) {
    publishAndEnter(nanos);
    sleeping = false;
    while (submission.staged() > 0) { // the kernel was short of memory
      drain();
      publishAndEnter(0);
    }
    drain();
  }

  private void drain() {
    while (driver.drain(completions) > 0) {} // what is drained may make room for others
  }

  private void dispatch(long token, int result, int flags) {
    long part = Completion.hasChunk(flags) ? part(flags, Math.max(0, result)) : 0;
    switch (Token.op(token)) {
      case RingOperation.WAKE -> wakeArmed = false;
      case RingOperation.OTHERS -> {
        othersArmed = false;
        othersReady = true;
      }
      case 0 -> {} // a cancellation that came too late
      default -> {
        int slot = Token.index(token);
        RingPort port = slot < used ? ports[slot] : null;
        if (port != null && port.generation == Token.generation(token)) {
          port.complete(Token.op(token), result, flags, part);
          if (port.attached) {
            noteReady(port);
          } else {
            dropIfIdle(port);
          }
        } else if (Completion.hasChunk(flags)) {
          RingMemory.at((int) (part >>> 32)).release();
        }
      }
    }
  }

  /// Returns the offset in the region and the length of the bytes that a completion has delivered.
  private long part(int flags, int length) {
    return arena.begin(arena.taken(flags, length)) << 32 | length;
  }

  private void noteReady(RingPort port) {
    NioKey key = port.readyKey();
    if (key != null && !key.hot) {
      key.hot = true;
      ready.add(key);
    }
  }

  /// Moves the keys that completions have made ready to the given list. Called by the owner.
  void takeReady(List<NioKey> into) {
    for (int i = 0; i < ready.size(); i++) {
      into.add(ready.get(i));
    }
    ready.clear();
  }

  /// Returns true if a channel without a ring is ready, and clears the flag. Called by the owner.
  boolean takeOthersReady() {
    boolean was = othersReady;
    othersReady = false;
    return was;
  }

  // ---- waking and the flusher -----------------------------------------------------------------

  /// Ends the wait of the current turn or of the next one. Any thread may call.
  void wake() {
    wakeEvent.signal();
  }

  private void wakeIfSleeping() {
    if (sleeping) {
      wake();
    }
  }

  /// Returns the number of turns so far. Any thread may call.
  int turns() {
    return turns;
  }

  /// Returns true if bytes are staged for the next turn. Any thread may call.
  boolean hasStaged() {
    return staged && !dead;
  }

  /// Sends bytes that have been staged for too long. Called on the flusher's thread.
  void flushStale() {
    if (!turnLock.tryLock()) {
      return; // a turn: it sends them
    }
    try {
      for (int i = 0; i < dirty.size(); i++) {
        dirty.get(i).flushStale();
      }
    } finally {
      turnLock.unlock();
    }
  }

  // ---- the end --------------------------------------------------------------------------------

  /// Releases all channels and closes the ring. Called by the holder of the selector outside of any
  /// turn, which is the owner or, if `byOther` is true, another thread.
  void close(boolean byOther) {
    lockTurn();
    try {
      if (dead) {
        return;
      }
      if (!byOther) {
        receiveTheLast();
      }
      dead = true;
      abandoned = byOther;
      drain(); // what is in memory only
      letGoOfAll();
      for (int i = 0; i < dirty.size(); i++) {
        dirty.get(i).flushStale();
      }
      staged = false;
      if (byOther) {
        ring.abandon();
      } else {
        ring.close();
      }
      for (int i = 0; i < used; i++) {
        RingPort port = ports[i];
        if (port != null) {
          port.armed = false;
          port.pollArmed = false;
        }
      }
      wakeEvent.close();
      arena.close();
      stages.close();
    } finally {
      turnLock.unlock();
    }
  }

  /// Returns true if a thread other than the owner has closed the ring. The kernel then cancels its
  /// operations later. Any thread may call.
  boolean isAbandoned() {
    return abandoned;
  }

  private void letGoOfAll() {
    for (int i = 0; i < used; i++) {
      RingPort port = ports[i];
      if (port != null && port.attached) {
        port.attached = false;
        port.detached();
      }
    }
  }

  /// Cancels all armed operations and keeps the bytes that arrive until then, because channels
  /// outlive their selector.
  private void receiveTheLast() {
    boolean armed = true;
    for (int round = 0; armed && round < 1000; round++) {
      armed = false;
      for (int i = 0; i < used; i++) {
        RingPort port = ports[i];
        if (port != null && (port.armed || port.pollArmed)) {
          armed = true;
          cancel(port);
        }
      }
      enterAndDrain(0);
    }
  }
}
