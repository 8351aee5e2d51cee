package sluice.domain.portal;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// An object that other parties may call. Any thread may call. All mutable state except `state` is
/// guarded by the monitor.
///
/// ```
///  ACTIVE ── no portal and no name left ──► RELEASED   (may be promoted again, as a new service)
///     ├───── revoke ──────────────────────► REVOKED
///     ├───── replace ─────────────────────► REPLACED   (its open calls are finished)
///     └───── the owner ends ──────────────► ENDED
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | state | under the monitor | volatile | volatile |
final class Service {
  enum State {
    ACTIVE,
    RELEASED,
    REVOKED,
    REPLACED,
    ENDED
  }

  final Party owner;
  final Class<?> type;
  final CallPath path;
  final int calls;
  final SpinWait spins = new SpinWait();
  private final Object target;
  private final Consumer<Service> onLeft;
  private volatile State state = State.ACTIVE;
  private final Map<Party, Handle> handles = new HashMap<>();
  private final OpenCalls open = new OpenCalls();
  private final ServiceThreads threads;
  private int names;

  /// Creates an active service.
  ///
  /// @param calls the maximum number of concurrent calls
  /// @param onLeft invoked once, without the monitor, when the service is no longer active
  Service(
      Party owner,
      Class<?> type,
      Object target,
      CallPath path,
      int calls,
      Consumer<Service> onLeft) {
    this.owner = owner;
    this.type = type;
    this.target = target;
    this.path = path;
    this.calls = calls;
    threads = new ServiceThreads(owner, owner.name() + "/" + shortName(type), calls, false);
    this.onLeft = onLeft;
  }

  /// Returns the name without its package. `Class.getSimpleName` is not used because it would load
  /// the enclosing class.
  private static String shortName(Class<?> type) {
    String name = type.getName();
    return name.substring(name.lastIndexOf('.') + 1);
  }

  Object target() {
    return target;
  }

  boolean isActive() {
    return state == State.ACTIVE;
  }

  boolean isReleased() {
    return state == State.RELEASED;
  }

  /// @throws PortalRevoked if the service was revoked, released or replaced
  /// @throws PartyEnded if the owner has ended
  void requireUsable() {
    if (state != State.ACTIVE || !owner.alive()) {
      throw unusable();
    }
  }

  RuntimeException unusable() {
    String what = type.getName() + " of party " + owner.name();
    return switch (state) {
      case REVOKED -> new PortalRevoked("the portal to " + what + " was revoked by its owner");
      case RELEASED -> new PortalRevoked("the service " + what + " was released");
      case REPLACED -> new PortalRevoked("the service " + what + " was replaced");
      case ACTIVE, ENDED ->
          new PartyEnded("party " + owner.name() + " ended; it had offered " + type.getName());
    };
  }

  synchronized @Nullable Object heldBy(Party holder) {
    Handle handle = handles.get(holder);
    return handle == null ? null : handle.proxy.get();
  }

  /// Adds a portal unless the holder already has one, and returns the holder's proxy.
  synchronized @Nullable Object hold(Handle handle) {
    requireUsable();
    Object before = heldBy(handle.holder);
    if (before != null) {
      return before;
    }
    handles.put(handle.holder, handle);
    return handle.proxy.get();
  }

  /// Removes a portal. Called when the holder's proxy has been garbage-collected or the holder has
  /// ended.
  void drop(Handle handle) {
    synchronized (this) {
      handles.remove(handle.holder, handle);
    }
    releaseIfUnused();
  }

  synchronized int portals() {
    return handles.size();
  }

  synchronized void named() {
    requireUsable();
    names++;
  }

  void unnamed() {
    synchronized (this) {
      names--;
    }
    releaseIfUnused();
  }

  /// Releases the service if it has no portal, no name and no open call.
  void releaseIfUnused() {
    synchronized (this) {
      if (!handles.isEmpty() || names > 0 || !open.isEmpty()) {
        return;
      }
    }
    end(State.RELEASED);
  }

  /// Marks the service as replaced, so that it completes its open calls and accepts no new ones.
  /// Its portals have been transferred to its successor.
  ///
  /// @return the portals that still referred to this service
  List<Handle> replaced() {
    List<Handle> last;
    synchronized (this) {
      if (state != State.ACTIVE) {
        return List.of();
      }
      state = State.REPLACED;
      last = List.copyOf(handles.values());
      handles.clear();
      names = 0;
    }
    onLeft.accept(this);
    return last;
  }

  boolean isReplaced() {
    return state == State.REPLACED;
  }

  /// Waits until no call is open.
  ///
  /// @return false on timeout
  synchronized boolean awaitIdle(long deadlineNanos) throws InterruptedException {
    for (long left = 1; !open.isEmpty(); left = deadlineNanos - System.nanoTime()) {
      if (left <= 0) {
        return false;
      }
      wait(Math.max(1, Math.min(left / 1_000_000, 100)));
    }
    return true;
  }

  /// Returns the portals to this service.
  synchronized List<Handle> held() {
    return List.copyOf(handles.values());
  }

  synchronized int namesNow() {
    return names;
  }

  void end(State reached) {
    List<OpenCalls.Entry> last;
    synchronized (this) {
      if (state != State.ACTIVE && state != State.REPLACED) {
        return;
      }
      state = reached;
      last = open.copy();
      handles.clear();
    }
    last.forEach(call -> call.abandon(unusable()));
    threads.end();
    onLeft.accept(this);
  }

  /// Runs a call in a thread of the service. A call that originates from this service itself uses a
  /// separate thread.
  void submit(ServiceCall call) {
    synchronized (this) {
      requireUsable();
      if (!call.isReentrant()) {
        threads.add(call);
        open.add(call);
        return;
      }
      open.add(call);
    }
    threads.once(call);
  }

  void finished(ServiceCall call) {
    synchronized (this) {
      boolean _ = open.remove(call);
      if (state == State.REPLACED) {
        notifyAll();
        return;
      }
      if (!handles.isEmpty()) {
        return;
      }
    }
    releaseIfUnused();
  }
}
