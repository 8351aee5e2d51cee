package sluice.domain.carrier;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import sluice.domain.schedule.Scheduler;
import sluice.domain.simulate.Observer;
import sluice.domain.simulate.Scenario;
import sluice.domain.simulate.Simulation;

/// A run of carriers in a simulation, and what holds in each: a thread runs once at a time and is
/// charged to its queue, a cooperative queue runs one at a time, a pinned one on its processors, no
/// work waits beside an idle processor, all threads end, and charges are what was used.
///
/// Woven: all methods run on threads of the simulation, but [#begin], [#check] and [#end].
abstract class CarrierScenario implements Scenario, Observer {
  private static final int CREDIT_NANOS = 4_000_000;
  private static final int INTERVAL_NANOS = 1_000_000;

  /// A queue, as a scenario sees it.
  static final class Place {
    private final RunQueue queue;
    private final QueueTerms terms;
    private final @Nullable LocalScheduler local;
    private final Flag stop;
    private int running;
    private final AtomicLong bytes = new AtomicLong();

    private Place(RunQueue queue, QueueTerms terms, @Nullable LocalScheduler local, Flag stop) {
      this.queue = queue;
      this.terms = terms;
      this.local = local;
      this.stop = stop;
    }

    QueueTerms terms() {
      return terms;
    }

    RunQueue queue() {
      return queue;
    }

    boolean isCooperative() {
      return terms.isCooperative();
    }

    /// Returns true if one of its threads is asked to make room: until one has a processor to give.
    boolean isAsked() {
      if (!stop.isSet) {
        return false;
      }
      if (!Carriers.runsBeside()) {
        stop.isSet = false;
      }
      return true;
    }

    @Nullable LocalScheduler local() {
      return local;
    }
  }

  private static final class Flag {
    private boolean isSet;
  }

  private @Nullable Simulation simulation;
  private @Nullable Carriers carriers;
  private Processor[] processors = {};
  private final List<Place> places = new ArrayList<>();
  private final IdentityHashMap<Thread, Place> owners = new IdentityHashMap<>();
  private final List<Thread> begun = new ArrayList<>();
  private final List<Thread> ended = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private final Set<Thread> callers = Collections.newSetFromMap(new IdentityHashMap<>());
  private int stuck;

  @Override
  public final void begin(Simulation made) throws Exception {
    simulation = made;
    made.observe(this);
    begin();
  }

  /// Makes queues and starts threads.
  abstract void begin() throws Exception;

  final Simulation simulation() {
    return known(simulation);
  }

  final Carriers carriers() {
    return known(carriers);
  }

  private static <T> T known(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("not begun");
    }
    return value;
  }

  final void carriers(int count, long lookNanos, int lateLooks) throws Exception {
    Carriers made = new Carriers("simulated", count, lookNanos, lateLooks);
    carriers = made;
    Field field = Carriers.class.getDeclaredField("processors");
    field.setAccessible(true);
    processors = (Processor[]) field.get(made);
  }

  final Place place(String name, QueueTerms terms, @Nullable Scheduler scheduler) {
    Flag stop = new Flag();
    RunQueue queue =
        carriers()
            .queue(
                name,
                terms,
                new RunQueue.Guest() {
                  @Override
                  public void escaped(Throwable problem) {
                    wrong("escaped: " + problem);
                  }

                  @Override
                  public void yieldSoon() {
                    stop.isSet = true;
                  }

                  @Override
                  public boolean isToYield() {
                    return stop.isSet;
                  }

                  @Override
                  public void schedulerFailed(Throwable problem) {
                    wrong("the scheduler of " + name + " has failed: " + problem);
                  }
                });
    LocalScheduler local = scheduler == null ? null : queue.scheduleBy(() -> scheduler);
    Place made = new Place(queue, terms, local, stop);
    places.add(made);
    if (local != null) {
      owners.put(local.thread(), made);
      local.thread().start();
    }
    return made;
  }

  /// Makes a thread of a queue.
  final Thread thread(Place of, String name, Runnable task) {
    Thread made =
        of.queue
            .threads()
            .name(name)
            .unstarted(() -> {
              try {
                task.run();
              } finally {
                Thread here = Thread.currentThread();
                if (of.local != null) {
                  of.local.ended(here);
                }
                ended.add(here);
                if (ended.size() + stuck == begun.size()) {
                  simulation().release();
                }
              }
            });
    if (of.local != null) {
      of.local.starting(made);
    }
    owners.put(made, of);
    begun.add(made);
    return made;
  }

  final void allocate(Place of, long bytes) {
    of.bytes.addAndGet(bytes);
    simulation().allocate(bytes);
  }

  /// Has the calling thread stay away until all others have ended.
  final void stallForEver() {
    stuck++;
    if (ended.size() + stuck < begun.size()) {
      simulation().stallForEver();
    }
    stuck--;
  }

  /// Calls a thread that the calling one then waits for: until then it may hold others up.
  final void call(Thread service) {
    callers.add(Thread.currentThread());
    Carriers.call(service);
  }

  final void wrong(String problem) {
    wrong.add(problem);
  }

  final Place placeOf(Thread thread) {
    return known(owners.get(thread));
  }

  final List<Place> places() {
    return places;
  }

  final List<Processor> processors() {
    return List.of(processors);
  }

  /// Returns the processor time that the threads of a queue have used.
  final long used(Place of) {
    long sum = 0;
    for (Map.Entry<Thread, Place> each : owners.entrySet()) {
      sum += each.getValue() == of ? simulation().used(each.getKey()) : 0;
    }
    return sum;
  }

  /// Returns how much processor time another queue uses at most while a queue waits for its turn:
  /// what it may be ahead, what the waiting queue has used meanwhile, and what is charged late.
  ///
  /// @param pieceNanos for how long a continuation runs at most
  final long mostBefore(Place waits, Place other, long pieceNanos) {
    long late = carriers().threads().size() * (pieceNanos + INTERVAL_NANOS);
    return other.terms.weight() * (CREDIT_NANOS + late / waits.terms.weight()) + late;
  }

  // ---- what is told -------------------------------------------------------------------------

  @Override
  public void ready(Thread thread) {}

  @Override
  public void begins(Thread thread, Thread carrier) {
    Place of = placeOf(thread);
    Worker worker = (Worker) carrier;
    if (worker.meter().current() != of.queue) {
      wrong(thread.getName() + " of " + of.queue + " runs as of " + worker.meter().current());
    }
    of.running++;
    if (of.terms.isCooperative() && of.running > 1) {
      wrong(of.running + " threads run of " + of.queue + ", which is cooperative");
    }
    int cpu = simulation().cpu(carrier);
    if (!of.terms.cpus().isEmpty() && !of.terms.cpus().contains(cpu)) {
      wrong(thread.getName() + " of " + of.terms.cpus() + " runs on processor " + cpu);
    }
  }

  @Override
  public void comesBack(Thread thread, Thread carrier) {
    placeOf(thread).running--;
    callers.remove(thread);
  }

  @Override
  public void rests() {
    for (Processor each : processors) {
      Worker worker = each.worker();
      if (!each.isIdle() && worker != null && worker.meter().current() == carriers().own()) {
        wrong("processor " + each.index() + " is busy, though " + worker.getName() + " waits");
      }
      for (Place of : places) {
        if (each.isIdle() && callers.isEmpty() && waits(of, each)) {
          wrong(of.queue + " waits beside processor " + each.index() + ", which is idle");
        }
      }
    }
  }

  private static boolean waits(Place of, Processor idle) {
    boolean isHeld = of.isCooperative() && of.running > 0;
    return !isHeld && of.queue.isReady() && of.queue.mayRunOn(idle.index());
  }

  @Override
  public void check() {
    for (Thread each : carriers().threads()) {
      Worker worker = (Worker) each;
      if (worker.hasNext()) {
        wrong(worker.getName() + " keeps a continuation");
      }
    }
    if (ended.size() != begun.size()) {
      List<Thread> left = new ArrayList<>(begun);
      left.removeAll(ended);
      wrong("these have not ended: " + left.stream().map(simulation()::describe).toList());
    }
    checkCharges();
    fail();
  }

  private void checkCharges() {
    long charged = charged(carriers().own());
    for (Place each : places) {
      charged += charged(each.queue);
    }
    if (charged != simulation().readNanos()) {
      wrong(charged + " ns are charged, " + simulation().readNanos() + " were used");
    }
    for (Place each : places) {
      if (each.terms.countsBytes() && each.bytes.get() != each.queue.allocatedBytes()) {
        wrong(each.queue.allocatedBytes() + " bytes are charged, " + each.bytes + " were used");
      }
    }
  }

  /// Without the intervals that are open.
  private long charged(RunQueue queue) {
    return queue.cpuNanos() - carriers().running(queue, false);
  }

  private void fail() {
    if (!wrong.isEmpty()) {
      throw new AssertionError(wrong.toString());
    }
  }

  @Override
  public String state() {
    List<RunQueue> queues = places.stream().map(Place::queue).toList();
    List<String> threads = begun.stream().map(simulation()::describe).toList();
    return threads + Dump.of(Dump.all(List.of(processors), carriers().threads(), queues));
  }

  @Override
  public void end(Simulation of) {
    for (Place each : places) {
      LocalScheduler local = each.local;
      if (local != null) {
        of.thread("ends " + each.queue, local::end).start();
      }
    }
    of.run();
    for (Place each : places) {
      Reach.from(carriers(), each.queue, places).forEach(this::wrong);
    }
    carriers().close();
    of.run();
    of.living().forEach(each -> wrong(each + " is left"));
    fail();
  }
}
