package sluice.domain.portal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The threads of one service. They run as many calls at once as the service declares, in order of
/// arrival; further calls wait. A thread is started when a call comes and none is free. Any thread
/// may call.
///
/// A call with a waiting caller is given to a free thread, which runs next ([#add]). Calls without
/// waiting callers are queued for any thread that looks ([#post]), and one thread is woken for many
/// of them ([#wake]). It takes one call and hands over to the next thread when it has to wait. So
/// the calls run one after another on its carrier, and a call that waits delays no other.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | all, free, waiting, ended, looking | any | under the lock | under the lock |
/// | only | the thread that adds | under the service's monitor | under the service's monitor |
final class ServiceThreads {
  private final Party owner;
  private final String name;
  private final int most;
  private final List<ServiceThread> all = new ArrayList<>();
  private final ArrayDeque<ServiceThread> free = new ArrayDeque<>();
  private final ArrayDeque<OpenCalls.Entry> waiting = new ArrayDeque<>();
  private final boolean isShared;
  private boolean ended;

  /// The number of threads that were woken to look for calls and have not looked yet.
  private int looking;

  /// The thread of a service that has only one. It lets a call be added without taking this lock.
  private @Nullable ServiceThread only;

  /// Creates an empty set of threads.
  ///
  /// @param most the maximum number of concurrent calls
  /// @param isPosted true if calls are posted instead of added
  ServiceThreads(Party owner, String name, int most, boolean isPosted) {
    this.owner = owner;
    this.name = name;
    this.most = most;
    isShared = most > 1 || isPosted;
  }

  /// Runs a call as soon as a thread is free. Called under the service's monitor.
  ///
  /// @throws RuntimeException if there is no thread, and the owner cannot make one
  void add(OpenCalls.Entry call) {
    ServiceThread one = only;
    if (one == null) {
      addToFree(call);
    } else {
      one.add(call);
    }
  }

  private synchronized void addToFree(OpenCalls.Entry call) {
    ServiceThread taken = freeOrMade();
    if (taken == null) {
      waiting.add(call);
    } else {
      taken.add(call);
    }
  }

  /// Queues a call until a thread looks: after its current call, or after [#wake].
  synchronized void post(OpenCalls.Entry call) {
    waiting.add(call);
  }

  /// Wakes a thread to look for posted calls, unless one is about to look.
  ///
  /// @throws RuntimeException if there is no thread, and the owner cannot make one
  void wake() {
    ServiceThread woken;
    synchronized (this) {
      woken = ended || waiting.isEmpty() ? null : looker();
    }
    if (woken != null) {
      woken.look();
    }
  }

  private @Nullable ServiceThread looker() {
    ServiceThread taken = looking == 0 ? freeOrMade() : null;
    if (taken != null) {
      taken.isLooking = true;
      looking++;
    }
    return taken;
  }

  private @Nullable ServiceThread freeOrMade() {
    ServiceThread taken = free.poll();
    if (taken != null) {
      taken.isFree = false;
    }
    return taken == null && all.size() < most ? made() : taken;
  }

  /// Removes a waiting call.
  ///
  /// @return false if it is not waiting
  synchronized boolean withdraw(OpenCalls.Entry call) {
    return waiting.remove(call);
  }

  /// Returns the number of waiting calls.
  synchronized int waiting() {
    return waiting.size();
  }

  /// @return null if the owner's budget has no thread left, but another thread will become free
  private @Nullable ServiceThread made() {
    try {
      ServiceThread made = new ServiceThread(owner, name, isShared ? this : null);
      all.add(made);
      only = isShared ? null : made;
      return made;
    } catch (IllegalStateException e) {
      if (all.isEmpty()) {
        throw e;
      }
      return null;
    }
  }

  /// Returns the next waiting call to an idle thread of a shared set.
  ///
  /// @return null if no call waits; the thread is free then
  OpenCalls.@Nullable Entry next(ServiceThread idle) {
    OpenCalls.Entry call;
    ServiceThread other = null;
    synchronized (this) {
      if (idle.isLooking) {
        idle.isLooking = false;
        looking--;
      }
      call = waiting.poll();
      if (call == null && !ended && !idle.isFree && idle.isIdle()) {
        idle.isFree = true;
        free.push(idle);
      } else if (call != null && idle.isFree) {
        idle.isFree = false;
        free.remove(idle);
      }
      if (call != null && !waiting.isEmpty() && !ended) {
        other = looker();
      }
    }
    if (other != null) {
      other.look();
    }
    return call;
  }

  /// Removes a thread that has ended, by an Error of the JVM or with the service.
  synchronized void gone(ServiceThread thread) {
    boolean _ = all.remove(thread);
    boolean _ = free.remove(thread);
    if (thread.isLooking) {
      thread.isLooking = false;
      looking--;
    }
  }

  /// Runs a call in a thread of its own.
  void once(OpenCalls.Entry call) {
    owner.serviceThread(name, () -> call.run(true)).start();
  }

  /// Interrupts the running calls; waiting ones have been abandoned.
  void end() {
    List<ServiceThread> last;
    synchronized (this) {
      ended = true;
      last = List.copyOf(all);
      all.clear();
      free.clear();
      waiting.clear();
    }
    last.forEach(ServiceThread::end);
  }
}
