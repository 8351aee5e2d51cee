package sluice.domain.portal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The threads of one service: as many calls run at once as it declares, in the order in which they
/// came, and more calls wait. Threads are made when calls come and none is free. Any thread may
/// call.
///
/// A call whose caller waits is given to a free thread, which runs next ([#add]). Calls of which
/// the callers do not wait are left for whatever thread looks ([#post]), and one thread is woken
/// for many ([#wake]): it takes one and has the next thread look when it waits itself, so that they
/// run one after another on its carrier, and a call that waits holds up none.
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

  /// Threads that were woken to look, and have not looked.
  private int looking;

  /// The thread of a service that has one, so that a call takes no lock here.
  private @Nullable ServiceThread only;

  /// @param most so many calls run at once
  /// @param isPosted whether calls are posted, and not added
  ServiceThreads(Party owner, String name, int most, boolean isPosted) {
    this.owner = owner;
    this.name = name;
    this.most = most;
    isShared = most > 1 || isPosted;
  }

  /// Has a call run as soon as a thread is free. Called under the service's monitor.
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

  /// Has a call wait until a thread looks: after its call, or after [#wake].
  synchronized void post(OpenCalls.Entry call) {
    waiting.add(call);
  }

  /// Has a thread look for the calls that were posted, unless one is about to.
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

  /// Takes back a call that waits.
  ///
  /// @return false if it does not wait
  synchronized boolean withdraw(OpenCalls.Entry call) {
    return waiting.remove(call);
  }

  /// How many calls wait.
  synchronized int waiting() {
    return waiting.size();
  }

  /// @return null if the owner has no thread left, and another one will be free
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

  /// Called by a thread that has nothing to run, where there may be several.
  ///
  /// @return a call that has waited, or null: the thread is free then
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

  /// A thread has come to its end: an Error of the JVM, or that of the service.
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

  /// Interrupts the calls that run; those that wait have been abandoned.
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
