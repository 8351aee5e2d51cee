package sluice.domain.portal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The threads of one service: as many calls run at once as it declares, in the order in which they
/// came, and more calls wait. Threads are made when calls come and none is free. Any thread may
/// call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | all, free, waiting, ended | any | under the lock | under the lock |
/// | only | the thread that adds | under the service's monitor | under the service's monitor |
final class ServiceThreads {
  private final Party owner;
  private final String name;
  private final int most;
  private final List<ServiceThread> all = new ArrayList<>();
  private final ArrayDeque<ServiceThread> free = new ArrayDeque<>();
  private final ArrayDeque<OpenCalls.Entry> waiting = new ArrayDeque<>();
  private boolean ended;

  /// The thread of a service that has one, so that a call takes no lock here.
  private @Nullable ServiceThread only;

  /// @param most so many calls run at once
  ServiceThreads(Party owner, String name, int most) {
    this.owner = owner;
    this.name = name;
    this.most = most;
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
    ServiceThread taken = free.poll();
    if (taken == null && all.size() < most) {
      taken = made();
    }
    if (taken == null) {
      waiting.add(call);
    } else {
      taken.add(call);
    }
  }

  /// @return null if the owner has no thread left, and another one will be free
  private @Nullable ServiceThread made() {
    try {
      ServiceThread made = new ServiceThread(owner, name, most == 1 ? null : this);
      all.add(made);
      only = most == 1 ? made : null;
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
  synchronized OpenCalls.@Nullable Entry next(ServiceThread idle) {
    OpenCalls.Entry call = waiting.poll();
    if (call == null && !ended && !free.contains(idle) && idle.isIdle()) {
      free.push(idle);
    }
    return call;
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
