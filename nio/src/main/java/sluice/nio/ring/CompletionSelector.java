package sluice.nio.ring;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.nio.channels.SluiceServerSocketChannel;
import sluice.nio.channels.SluiceSocketChannel;
import sluice.nio.descriptors.NetErrors;
import sluice.nio.descriptors.SluiceChannel;
import sluice.sys.Errno;

/// A selector for Sluice's channels. Only one thread can select at a time, but different threads
/// may take turns. Any thread may register channels, change interest sets, cancel keys, and wake or
/// close the selector.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `keys` | any thread | concurrent set | concurrent set |
/// | `changes` | any thread | under `changeLock` | the same |
/// | `wakeState`, `nudged` | any thread | atomic | atomic |
/// | `someChanged` | any thread, holder of the selector | volatile | volatile |
/// | `selected`, `epoll`, `hot` | holder of the selector | under the selector's lock | the same |
///
/// Lifecycle: open → selecting → closed. If the selector is closed during a select, the kernel
/// objects are released when that select returns.
public final class CompletionSelector extends AbstractSelector implements NioKey.Owner {
  private static final int AWAKE = 0;
  private static final int SLEEPING = 1;
  private static final int WOKEN = 2;

  private final Set<SelectionKey> keys = ConcurrentHashMap.newKeySet();
  private final Set<SelectionKey> publicKeys = Collections.unmodifiableSet(keys);
  private final SelectedKeys selected = new SelectedKeys();
  private final Object changeLock = new Object();
  private ArrayList<NioKey> changes = new ArrayList<>();
  private ArrayList<NioKey> spareChanges = new ArrayList<>();
  private final AtomicInteger wakeState = new AtomicInteger(AWAKE);
  private final EpollSet epoll;

  /// The keys whose channels may be ready although the kernel does not report it.
  private final ArrayList<NioKey> hot = new ArrayList<>();

  /// The ring that transfers the bytes of stream channels. It is created after a platform thread
  /// has selected a number of them.
  private volatile @Nullable SelectorRing ring;

  private final RingStart start;

  /// True if channels may be moved to a ring from now on.
  private boolean ringDue;

  /// True if this selector will never use a ring again.
  private boolean neutral;

  /// True if a channel has left the ring and may not be watched yet, or has become ready without a
  /// report by the kernel. It is set before [#wakeState] is read. A thread that is about to sleep
  /// reads it after setting [#wakeState].
  private volatile boolean someChanged;

  /// The loop that the selecting thread runs instead of waiting, or null if it only waits.
  private volatile @Nullable SelectorLoop loop;

  /// True if the sleeping thread has been woken in order to check [#someChanged]. It is reset
  /// before the check.
  private final AtomicBoolean nudged = new AtomicBoolean();

  private boolean inSelect;
  private boolean closePending;

  /// Creates a selector.
  ///
  /// @param ringAfter the number of reported ready channels after which a ring is started, or a
  ///   negative number to never start one
  public CompletionSelector(SelectorProvider provider, int ringAfter) throws IOException {
    this(provider, ringAfter, null);
  }

  /// @param loop the loop that the selecting thread runs, which is only supported for selectors
  ///   without rings
  public CompletionSelector(SelectorProvider provider, int ringAfter, @Nullable SelectorLoop loop)
      throws IOException {
    super(provider);
    this.loop = loop;
    neutral = ringAfter < 0;
    start = new RingStart(ringAfter);
    epoll = new EpollSet();
  }

  private void ensureOpen() {
    if (!isOpen()) {
      throw new ClosedSelectorException();
    }
  }

  @Override
  public Set<SelectionKey> keys() {
    ensureOpen();
    return publicKeys;
  }

  @Override
  public Set<SelectionKey> selectedKeys() {
    ensureOpen();
    return selected;
  }

  // ---- registering ----------------------------------------------------------------------------

  @Override
  protected SelectionKey register(
      AbstractSelectableChannel channel, int operations, @Nullable Object attachment) {
    if (!(channel instanceof SluiceChannel)) {
      throw new IllegalSelectorException();
    }
    ensureOpen();
    NioKey key = new NioKey(this, channel);
    key.attach(attachment);
    if (key.sluice().core().registrations.incrementAndGet() > 1) {
      key.sluice().releaseRing(); // a second selector must see what arrives
    }
    keys.add(key);
    key.sluice().core().listen(key);
    try {
      key.interest(operations);
      interestChanged(key);
    } catch (CancelledKeyException seenAndCancelled) {
      return key;
    }
    if (!isOpen()) {
      unlist(key);
      key.cancel();
      throw new ClosedSelectorException();
    }
    return key;
  }

  /// Queues a change for the next select, unless the kernel already watches all wanted events.
  @Override
  public void interestChanged(NioKey key) {
    RingPort port = key.port;
    int interest = key.interest();
    boolean needless =
        port != null
            ? !port.needsUpdate(interest)
            : (key.sluice().eventsFor(interest) & ~key.armed) == 0 && key.sluice().readyHere() == 0;
    if (!needless) {
      queue(key);
    }
  }

  private void queue(NioKey key) {
    synchronized (changeLock) {
      if (!key.queued) {
        key.queued = true;
        changes.add(key);
      }
    }
  }

  @Override
  public void lookAgain(NioKey key) {
    queue(key);
    someChanged = true;
    SelectorLoop turned = loop;
    if (turned != null && turned.isHere()) {
      return; // the turn that brought it is about to end
    }
    if (wakeState.get() == SLEEPING && nudged.compareAndSet(false, true)) {
      signal(); // once, whatever else changes before it is looked at
    }
  }

  private void applyChanges() {
    ArrayList<NioKey> todo;
    synchronized (changeLock) {
      if (changes.isEmpty()) {
        return;
      }
      todo = changes;
      changes = spareChanges;
      spareChanges = todo;
      for (int i = 0; i < todo.size(); i++) {
        todo.get(i).queued = false;
      }
    }
    for (int i = 0; i < todo.size(); i++) {
      NioKey key = todo.get(i);
      if (key.isValid()) {
        apply(key);
      } else if (key.sluice().readyHere() != 0 && keys.contains(key)) {
        heat(key); // its channel is closed and still kept: the wait ends
      }
    }
    todo.clear();
  }

  private void apply(NioKey key) {
    RingPort port = key.port;
    if (port == null && key.interest() != 0 && ringDue && !neutral) {
      port = adopt(key);
    }
    if (port != null) {
      port.ring.touch(port);
    } else {
      int _ = epoll.update(key);
    }
    if (key.sluice().readyHere() != 0) {
      heat(key);
    }
  }

  /// Moves a channel to the ring if the channel is suitable.
  private @Nullable RingPort adopt(NioKey key) {
    if (key.sluice().core().registrations.get() != 1 || !key.sluice().isForRing()) {
      return null;
    }
    SelectorRing mine = ring;
    if (mine == null) {
      mine = startRing();
      if (mine == null) {
        return null;
      }
    }
    RingPort port = join(mine, key);
    if (port != null) {
      epoll.remove(key);
      key.port = port;
    }
    return port;
  }

  /// Moves a channel to a ring.
  ///
  /// @return the channel's port, or null if another thread is currently using the channel
  private static @Nullable RingPort join(SelectorRing ring, NioKey key) {
    return switch (key.channel()) {
      case SluiceSocketChannel stream -> RingStream.join(ring, key, stream);
      case SluiceServerSocketChannel listener -> RingListener.join(ring, key, listener);
      default -> null;
    };
  }

  /// Decides whether to start a ring. If a ring becomes due, all channels are examined again.
  private void decideOnRing() {
    switch (start.select(Thread.currentThread())) {
      case WAIT -> {}
      case START -> {
        ringDue = true;
        keys.forEach(each -> queue((NioKey) each));
      }
      case NEVER -> {
        neutral = true;
        RingNotice.say(RingNotice.THREADS);
      }
    }
  }

  private @Nullable SelectorRing startRing() {
    if (Thread.currentThread().isVirtual()) {
      neutral = true;
      return null;
    }
    try {
      SelectorRing opened = SelectorRing.open(epoll);
      ring = opened;
      return opened;
    } catch (IOException refused) {
      neutral = true;
      RingNotice.say("a selector works without a ring: " + refused.getMessage());
      return null;
    }
  }

  /// Removes all channels from the ring because a thread other than the ring's owner selects.
  private void leaveRing(SelectorRing old) {
    neutral = true;
    ring = null;
    old.close(true);
    old.takeReady(hot); // what its owner has received while it took channels away
    RingNotice.say(RingNotice.THREADS);
  }

  /// Adds a key to the keys that may be ready although the kernel does not report it.
  private void heat(NioKey key) {
    if (!key.hot) {
      key.hot = true;
      hot.add(key);
    }
  }

  private void processCancelled() {
    Set<SelectionKey> cancelled = cancelledKeys();
    synchronized (cancelled) {
      if (cancelled.isEmpty()) {
        return;
      }
      for (Iterator<SelectionKey> each = cancelled.iterator(); each.hasNext(); ) {
        NioKey key = (NioKey) each.next();
        each.remove();
        forget(key);
      }
    }
  }

  private void forget(NioKey key) {
    RingPort port = key.port;
    if (port != null) {
      boolean _ = port.ring.detach(port);
      key.port = null;
    }
    unlist(key);
    epoll.remove(key);
    selected.remove(key);
    if (key.hot) {
      key.hot = false;
      hot.remove(key);
    }
    deregister(key);
  }

  /// Removes a key from the selector. Since the selector may be closed while a channel registers,
  /// only the thread that actually removes the key decrements the count.
  private void unlist(NioKey key) {
    if (keys.remove(key)) {
      key.sluice().core().registrations.decrementAndGet();
      key.sluice().core().unlisten(key);
      key.sluice().deregistered();
    }
  }

  // ---- selecting ------------------------------------------------------------------------------

  @Override
  public int select() throws IOException {
    return lockAndSelect(null, -1);
  }

  @Override
  public int select(long timeoutMillis) throws IOException {
    return lockAndSelect(null, nanos(timeoutMillis));
  }

  @Override
  public int selectNow() throws IOException {
    return lockAndSelect(null, 0);
  }

  @Override
  public int select(Consumer<SelectionKey> action, long timeoutMillis) throws IOException {
    Objects.requireNonNull(action);
    return lockAndSelect(action, nanos(timeoutMillis));
  }

  @Override
  public int select(Consumer<SelectionKey> action) throws IOException {
    return lockAndSelect(Objects.requireNonNull(action), -1);
  }

  @Override
  public int selectNow(Consumer<SelectionKey> action) throws IOException {
    return lockAndSelect(Objects.requireNonNull(action), 0);
  }

  private static long nanos(long timeoutMillis) {
    if (timeoutMillis < 0) {
      throw new IllegalArgumentException("Negative timeout");
    }
    return timeoutMillis == 0 ? -1 : TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }

  private int lockAndSelect(@Nullable Consumer<SelectionKey> action, long nanos)
      throws IOException {
    synchronized (this) {
      if (!isOpen() && loop != null) {
        closeKernelObjects(); // the thread that closed could not end a loop of this one
      }
      ensureOpen();
      if (inSelect) {
        throw new IllegalStateException("select in progress");
      }
      inSelect = true;
      try {
        synchronized (selected) {
          return doSelect(action, nanos);
        }
      } finally {
        inSelect = false;
        if (closePending) {
          closeKernelObjects();
        }
      }
    }
  }

  private int doSelect(@Nullable Consumer<SelectionKey> action, long nanos) throws IOException {
    SelectorRing mine = ring;
    if (mine != null && !mine.isOwner()) {
      leaveRing(mine);
    } else if (!ringDue && !neutral) {
      decideOnRing();
    }
    processCancelled();
    applyChanges();
    int count;
    if (nanos == 0) {
      boolean _ = cool();
      count = gather(0);
    } else {
      begin();
      try {
        count = awaitEvents(nanos);
      } finally {
        end();
      }
    }
    wakeState.set(AWAKE);
    processCancelled();
    mine = ring;
    if (mine != null) {
      mine.expect(hot.size() + count);
    }
    int updated = report(count, action) + reportHot(action);
    if (!ringDue) {
      start.reported(updated);
    }
    return updated;
  }

  /// Waits until at least one key is ready, a thread calls [#wakeup], or the timeout expires.
  private int awaitEvents(long nanos) throws IOException {
    if (cool() || !wakeState.compareAndSet(AWAKE, SLEEPING)) {
      return gather(0);
    }
    long deadline = System.nanoTime() + nanos;
    long left = nanos;
    nudged.set(false);
    if (someChanged) { // after this select has applied its changes, and before it could be woken
      left = applyLate() ? 0 : left;
    }
    while (true) {
      int count = gather(left);
      boolean woken = wakeState.get() == WOKEN;
      if (count > 0 || woken || cool()) {
        return count;
      }
      if (nanos >= 0) {
        left = deadline - System.nanoTime();
        if (left <= 0) {
          return 0;
        }
      }
      if (applyLate()) {
        left = 0;
      }
    }
  }

  /// Watches channels that have left the ring and detects channels that have become ready in the
  /// meantime. This may start a ring.
  ///
  /// @return true if at least one key is ready or [#wakeup] was called
  private boolean applyLate() {
    nudged.set(false);
    someChanged = false;
    applyChanges();
    return cool() || wakeState.get() == WOKEN;
  }

  /// Collects events from the ring, or from epoll if there is no ring.
  ///
  /// @return the number of epoll events, not counting a wake-up
  private int gather(long nanos) throws IOException {
    SelectorLoop turned = loop;
    if (turned != null) {
      return turn(turned, nanos);
    }
    SelectorRing mine = ring;
    if (mine == null) {
      return poll(nanos);
    }
    mine.turn(nanos);
    mine.takeReady(hot);
    return mine.takeOthersReady() ? poll(0) : 0;
  }

  private int turn(SelectorLoop turned, long nanos) throws IOException {
    return switch (turned.turn(epoll.fd(), epoll.size() > 0, nanos)) {
      case QUIET -> 0;
      case READY -> poll(0);
      case OVER -> {
        loop = null;
        yield poll(0);
      }
    };
  }

  /// Waits for epoll events.
  ///
  /// @return the number of events, not counting a wake-up
  private int poll(long nanos) throws IOException {
    boolean parks = nanos != 0 && Thread.currentThread().isVirtual();
    int count = epoll.await(parks ? 0 : nanos);
    if (parks && count == 0) {
      epoll.park(nanos);
      count = epoll.await(0);
    }
    if (count < 0) {
      if (count == -Errno.EINTR) {
        return 0;
      }
      throw NetErrors.ofTransfer(count);
    }
    for (int i = 0; i < count; i++) {
      if (epoll.isWake(i)) {
        return count == 1 ? 0 : count;
      }
    }
    return count;
  }

  private int report(int count, @Nullable Consumer<SelectionKey> action) {
    int updated = 0;
    for (int i = 0; i < count; i++) {
      NioKey key = epoll.isWake(i) ? null : epoll.key(i);
      if (key != null && key.isValid()) {
        int ready = epoll.ready(i, key) | key.sluice().readyHere();
        updated += report(key, ready & key.interest(), action);
      }
    }
    return updated;
  }

  /// Removes keys that are no longer ready from the list of hot keys.
  ///
  /// @return true if at least one remaining key is ready for its interest set
  private boolean cool() {
    boolean any = false;
    int kept = 0;
    for (int i = 0; i < hot.size(); i++) {
      NioKey key = hot.get(i);
      boolean ready = (key.sluice().readyHere() & key.interest()) != 0;
      any |= ready;
      if (ready && (key.isValid() || keys.contains(key))) {
        hot.set(kept++, key); // a cancelled one ends the wait: its channel may be closed and kept
      } else {
        key.hot = false;
      }
    }
    for (int i = hot.size() - 1; i >= kept; i--) {
      hot.remove(i);
    }
    return any;
  }

  private int reportHot(@Nullable Consumer<SelectionKey> action) {
    int updated = 0;
    for (int i = hot.size() - 1; i >= 0; i--) {
      if (i < hot.size()) { // an action may have closed the selector
        NioKey key = hot.get(i);
        if (key.isValid()) {
          updated += report(key, key.sluice().readyHere() & key.interest(), action);
        }
      }
    }
    return updated;
  }

  /// Updates the ready set of a key, or runs the action for it.
  ///
  /// @return 1 if the key's ready set was changed or the action was run, otherwise 0
  private int report(NioKey key, int ready, @Nullable Consumer<SelectionKey> action) {
    if (ready == 0) {
      return 0;
    }
    if (action != null) {
      key.ready(ready);
      action.accept(key);
      ensureOpen();
      return 1;
    }
    if (selected.has(key)) {
      int before = key.ready();
      key.ready(before | ready);
      return (ready & ~before) != 0 ? 1 : 0;
    }
    key.ready(ready);
    selected.put(key);
    return 1;
  }

  // ---- waking and closing ---------------------------------------------------------------------

  @Override
  public Selector wakeup() {
    if (wakeState.getAndSet(WOKEN) == SLEEPING) {
      signal();
    }
    return this;
  }

  private void signal() {
    SelectorLoop turned = loop;
    SelectorRing mine = ring;
    if (turned != null) {
      turned.wake();
    } else if (mine == null) {
      epoll.wake();
    } else {
      mine.wake();
    }
  }

  @Override
  protected void implCloseSelector() throws IOException {
    wakeup();
    synchronized (this) {
      synchronized (selected) {
        SelectorRing mine = ring;
        if (mine != null) {
          ring = null;
          mine.close(!mine.isOwner());
        }
        for (SelectionKey each : keys) {
          forget((NioKey) each);
        }
        selected.clear();
      }
      if (inSelect) {
        closePending = true; // by an action of that select
      } else {
        closeKernelObjects();
      }
    }
  }

  private void closeKernelObjects() {
    closePending = false;
    SelectorLoop turned = loop;
    if (turned == null) {
      epoll.close();
    } else {
      turned.close(epoll::close);
    }
  }

  @Override
  public String toString() {
    return "CompletionSelector[" + (isOpen() ? keys.size() + " keys]" : "closed]");
  }
}
