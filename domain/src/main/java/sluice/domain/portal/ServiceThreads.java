package sluice.domain.portal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The threads of one service. They run as many concurrent calls as the service declares, in order
/// of arrival, while further calls wait. A thread is started when a call arrives and no thread is
/// free. Any thread may call.
///
/// A call with a waiting caller is assigned to a free thread, which runs next ([#add]). Calls
/// without waiting callers are queued for any thread that checks the queue ([#post]), and one
/// thread is woken for many of them ([#wake]). It runs one call and hands over to the next thread
/// when it has to wait. The calls therefore run one after another on its carrier, and a call that
/// waits does not delay the others.
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

  /// The number of threads that were woken to check for calls and have not done so yet.
  private int looking;

  /// The only thread of a service that has just one, so that a call can be added without acquiring
  /// this lock.
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
  /// @throws RuntimeException if there is no thread, and the owner cannot create one
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

  /// Queues a call until a thread checks the queue, which is after its current call or after
  /// [#wake].
  synchronized void post(OpenCalls.Entry call) {
    waiting.add(call);
  }

  /// Wakes a thread to check for posted calls, unless a thread is about to check.
  ///
  /// @throws RuntimeException if there is no thread, and the owner cannot create one
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
  /// @return false if the call is not waiting
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

  /// Returns the next waiting call for an idle thread of a shared set.
  ///
  /// @return the call, or null if no call is waiting, in which case the thread is free
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

  /// Removes a thread that has been terminated by an Error of the JVM or together with the service.
  synchronized void gone(ServiceThread thread) {
    boolean _ = all.remove(thread);
    boolean _ = free.remove(thread);
    if (thread.isLooking) {
      thread.isLooking = false;
      looking--;
    }
  }

  /// Runs a call in a separate thread.
  void once(OpenCalls.Entry call) {
    owner.serviceThread(name, () -> call.run(true)).start();
  }

  /// Interrupts the running calls. Waiting calls have already been abandoned.
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
