package sluice.domain.carrier;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.domain.simulate.Simulation;

/// Threads of one domain call services of another, which hand the answers over; one of the two
/// domains ends in the middle. Its threads run to the next gate, the other's go on, and the
/// carriers keep nothing of it. Woven.
public final class EndingScenario extends CarrierScenario {
  private static final int CALLS = 4;

  private static final class Call {
    private boolean isAsked;
    private boolean isAnswered;
    private @Nullable Thread caller;
    private @Nullable Thread service;
  }

  private static final class Side {
    private boolean isEnded;
    private final List<Thread> threads = new ArrayList<>();
  }

  private final Side callers = new Side();
  private final Side services = new Side();

  /// For the loader.
  public EndingScenario() {}

  @Override
  void begin() throws Exception {
    Simulation random = simulation();
    carriers(1 + random.below(3), random.oneIn(2) ? 10_000 : 2_000_000, 1 + random.below(5));
    if (random.oneIn(3)) {
      random.freeze(300, 1_000_000);
    }
    Place calling = place("callers", terms(random), scheduler(random));
    Place serving = place("services", terms(random), scheduler(random));
    int pairs = 1 + random.below(3);
    for (int i = 0; i < pairs; i++) {
      Call call = new Call();
      Thread caller = thread(calling, "caller " + i, () -> call(call));
      Thread service = thread(serving, "service " + i, () -> serve(call));
      call.caller = caller;
      call.service = service;
      callers.threads.add(caller);
      services.threads.add(service);
    }
    callers.threads.forEach(each -> each.start());
    services.threads.forEach(each -> each.start());
    boolean isCaller = random.oneIn(2);
    random.thread("ends", () -> end(isCaller)).start();
  }

  private static QueueTerms terms(Simulation random) {
    return random.oneIn(3) ? QueueTerms.DEFAULT.cooperative() : QueueTerms.DEFAULT.withBytes(true);
  }

  private static @Nullable Choosing scheduler(Simulation random) {
    return switch (random.below(6)) {
      case 0 -> new Choosing(true);
      case 1 -> new Choosing.Called();
      case 2 -> new Choosing.Stopped();
      default -> null;
    };
  }

  /// As the end of a domain does: it tells the scheduler, then all threads of both sides, again.
  private void end(boolean isCaller) {
    Simulation random = simulation();
    LockSupport.parkNanos(random.below(400_000));
    (isCaller ? callers : services).isEnded = true;
    LocalScheduler local = places().get(isCaller ? 0 : 1).local();
    if (local != null) {
      local.end();
    }
    callers.threads.forEach(each -> LockSupport.unpark(each));
    services.threads.forEach(each -> LockSupport.unpark(each));
  }

  private boolean isOver() {
    return callers.isEnded || services.isEnded;
  }

  private void call(Call call) {
    Thread service = call.service;
    for (int i = 0; i < CALLS && service != null && !isOver(); i++) {
      simulation().spend(simulation().below(100_000));
      call.isAnswered = false;
      call.isAsked = true;
      if (simulation().oneIn(2)) {
        call(service);
      } else {
        Carriers.handOver(service);
      }
      while (!call.isAnswered && !isOver()) {
        LockSupport.park();
      }
    }
    callers.isEnded = true; // it has called enough
    services.threads.forEach(each -> LockSupport.unpark(each));
    callers.threads.forEach(each -> LockSupport.unpark(each));
  }

  private void serve(Call call) {
    Thread caller = call.caller;
    while (caller != null && !isOver()) {
      if (call.isAsked) {
        call.isAsked = false;
        simulation().spend(simulation().below(100_000));
        call.isAnswered = true;
        Carriers.handOver(caller);
      } else {
        LockSupport.park();
      }
    }
  }
}
