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

/// The ring of one [CompletionSelector]: one crossing into the kernel sends what was written,
/// waits, and brings what has arrived. Belongs to the platform thread that opened it, by its first
/// select; other threads call what says so.
///
/// The ring's completions are made inside of a turn only (`DEFER_TASKRUN`). So while no turn runs,
/// the kernel receives nothing behind our back, and the turn lock is enough for another thread to
/// read a socket that has a receive armed, or to take a channel away. The descriptor is not
/// registered with the thread, so that another thread can give the ring back.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `ports`, `sending` and the queues | owner, in a turn | plain, under the turn lock | the same |
/// | `touched` | owner | plain | plain |
/// | `requests` | any thread | concurrent queue | concurrent queue |
/// | `lockSeekers` | any thread | atomic | atomic |
/// | `foreign`, `dead`, `abandoned`, `turns` | any thread / owner | volatile | volatile |
///
/// Lifecycle: opened by its owner → turned → closed by the owner, or abandoned by another thread
/// that takes the selector over.
final class SelectorRing {
  private static final int SUBMISSION_ENTRIES = 256;
  private static final int COMPLETION_ENTRIES = 2048;
  private static final int BUFFER_ENTRIES = 256;
  private static final int FIRST_PIECES = 2;
  private static final int STAGING_FROM = 2;

  /// Entries that cancelling all of a port takes.
  private static final int CANCELLATIONS = 2;

  /// How long a turn sleeps while bytes are staged that it could not send.
  private static final long TIMEOUT_NANOS = 1_000_000;

  private static final int SILENT =
      Sockets.MSG_WAITALL | Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;

  /// Where the kernel puts what it reads of wake events. It is never looked at, and never freed: an
  /// abandoned ring may still be written for.
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

  /// Held by the owner during a turn, and by other threads that need that there is none. Fair, so
  /// that a waiting thread gets its turn between two of the owner's.
  private final ReentrantLock turnLock = new ReentrantLock(true);

  /// Threads on their way to the turn lock. One wake may be meant for several of them, and may end
  /// a turn before the last has queued: no turn sleeps while one is on its way.
  private final AtomicInteger lockSeekers = new AtomicInteger();

  private @Nullable RingPort[] ports = new RingPort[64];
  private int[] generations = new int[64];
  private int[] free = new int[64];
  private int freeCount;
  private int used;

  /// Streams with staged bytes for the next turn, and those of the turn under way.
  private ArrayList<RingStream> dirty = new ArrayList<>();

  private ArrayList<RingStream> sending = new ArrayList<>();
  private final StarvedReceives<RingPort> starved = new StarvedReceives<>();

  /// Ports to arm at the beginning of the next crossing. Not before: what is staged names a
  /// descriptor by its number, which another thread may close, and give to another file, whenever
  /// no turn runs.
  private final ArrayList<RingPort> touched = new ArrayList<>();

  /// Keys that completions have made ready.
  private final ArrayList<NioKey> ready = new ArrayList<>();

  /// Ports that other threads want armed again, or cancelled because they have taken them away.
  private final ConcurrentLinkedQueue<RingPort> requests = new ConcurrentLinkedQueue<>();

  private boolean staging;
  private volatile boolean abandoned;
  private boolean wakeArmed;
  private boolean othersArmed;
  private boolean othersReady;

  /// Whether other threads write to channels of this ring: then a turn that sleeps has told before
  /// how its sends ended.
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

  /// Opens a ring for the calling thread.
  ///
  /// @param others the selector's channels that no ring moves bytes for
  /// @throws IOException when the kernel refuses, or the memory for rings is in use
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

  /// Whether the calling thread is the one the ring belongs to.
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

  /// A slot for a new port.
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

  /// Frees the slot of a port that the kernel knows nothing of any more.
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

  /// Takes a channel away from the ring: when this returns the ring receives nothing for it any
  /// more, and what it had received is with the port. Any thread, which may hold the channel's
  /// locks. Idempotent.
  ///
  /// @return whether the kernel has let go of the descriptor too
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

  /// Stops a receive or accept whose channel holds enough. The owner.
  void stop(RingPort port) {
    if (port.armed && !port.cancelling) {
      cancel(port);
    }
  }

  /// Has a port armed as its key wants, by the next crossing. The owner.
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

  /// Asks the owner to look at a port. Any thread.
  void request(RingPort port) {
    requests.add(port);
    wakeIfSleeping();
  }

  /// Waits until no turn runs and keeps it so until the lock is given back. Any thread.
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

  /// Runs something while no turn does, if none does now. Any thread.
  ///
  /// @return whether the lock was got: unlock with [#unlockTurn]
  boolean tryLockTurn() {
    return turnLock.tryLock();
  }

  void unlockTurn() {
    turnLock.unlock();
  }

  /// Waits until the sends of a turn have ended. Any thread but the owner.
  void awaitSends() {
    foreign = true;
    lockTurn();
    turnLock.unlock();
  }

  /// A stream has staged bytes. The owner, between turns. When the ring has been closed by another
  /// thread in this moment, the stream is not attached any more once this returns.
  void dirty(RingStream stream) {
    turnLock.lock(); // the flusher may be looking
    try {
      dirtyAgain(stream);
    } finally {
      turnLock.unlock();
    }
  }

  /// Whether the flusher looks at this ring. Set by it and by the owner, under its lock.
  boolean watched() {
    return watched;
  }

  void watched(boolean value) {
    watched = value;
  }

  /// A stream's staged bytes have to wait for another turn. The owner, in a turn.
  void dirtyAgain(RingStream stream) {
    dirty.add(stream);
    if (!staged) {
      staged = true;
      if (!watched) {
        Flusher.watch(this);
      }
    }
  }

  /// Whether writes are worth staging: with one connection ready, nothing is saved by it.
  boolean staging() {
    return staging;
  }

  /// @param readyKeys how many the select under way reports. The owner
  void expect(int readyKeys) {
    staging = readyKeys >= STAGING_FROM;
  }

  /// A turn without waiting, outside of a select. The owner.
  void turnNow() {
    turn(0);
  }

  /// A receive found no free chunk. The owner, in a turn.
  void starved(RingPort port) {
    starved.add(port);
  }

  // ---- turning --------------------------------------------------------------------------------

  /// One turn. The owner.
  ///
  /// @param nanos 0 does not wait; negative waits without limit
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

  /// Whether completions have come, in this turn or in between, that the selector must see first,
  /// or another thread needs the end of the turn.
  private boolean hasNews() {
    return completion.available() > 0
        || othersReady
        || !ready.isEmpty()
        || !wakeArmed
        || lockSeekers.get() > 0;
  }

  /// Before anything else that enters the kernel: what it has for a channel that another thread has
  /// taken away belongs to the thread that reads there now. A crossing carries out the
  /// cancellations it submits before it receives.
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
    // One more attempt when there is none: the next turn must not sleep for ever.
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

  /// Stages one send of staged bytes; its outcome is known when the turn's crossing is over.
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

  /// One crossing, after which nothing is staged that the kernel has not taken.
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

  /// What a completion has brought: where it begins in the region, and its length.
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

  /// Moves the keys that completions have made ready to the selector's list. The owner.
  void takeReady(List<NioKey> into) {
    for (int i = 0; i < ready.size(); i++) {
      into.add(ready.get(i));
    }
    ready.clear();
  }

  /// Whether a channel that no ring moves bytes for is ready. The owner; asking resets it.
  boolean takeOthersReady() {
    boolean was = othersReady;
    othersReady = false;
    return was;
  }

  // ---- waking and the flusher -----------------------------------------------------------------

  /// Ends the wait of the turn under way or the next one. Any thread.
  void wake() {
    wakeEvent.signal();
  }

  private void wakeIfSleeping() {
    if (sleeping) {
      wake();
    }
  }

  /// Turns so far. Any thread.
  int turns() {
    return turns;
  }

  /// Whether bytes wait for the next turn. Any thread.
  boolean hasStaged() {
    return staged && !dead;
  }

  /// Sends what has waited too long. The flusher's thread.
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

  /// Lets go of all channels and gives the ring back. The holder of the selector, which no turn can
  /// be part of; the owner or, when `byOther`, another thread.
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

  /// Whether a thread that is not its owner has closed it: what the kernel has of it is cancelled
  /// some time later. Any thread.
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

  /// Cancels all that is armed and keeps what it brings until then: channels outlive their
  /// selector.
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
