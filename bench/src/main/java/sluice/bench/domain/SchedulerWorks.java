package sluice.bench.domain;

import java.io.IOException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import sluice.bench.kernel.CallRoundRobin;
import sluice.bench.kernel.RoundRobin;
import sluice.domain.Domain;
import sluice.domain.Scheduling;
import sluice.domain.portal.CallPath;
import sluice.domain.portal.Portals;
import sluice.sys.threads.Affinity;
import sluice.sys.threads.VirtualThreads;

/// The systems of bench scheduler. Stateless: each work has its own domains.
final class SchedulerWorks {
  private SchedulerWorks() {}

  static Work of(String name, String system) throws IOException {
    Class<?> hears = CallRoundRobin.class;
    return switch (name) {
      case SchedulerBench.CALL ->
          switch (system) {
            case SchedulerBench.BUILT_IN -> calls(null, null);
            case SchedulerBench.INVISIBLE -> calls(RoundRobin.class, RoundRobin.class);
            case SchedulerBench.CALLER -> calls(hears, RoundRobin.class);
            case SchedulerBench.CALLEE -> calls(RoundRobin.class, hears);
            case SchedulerBench.BOTH -> calls(hears, hears);
            default -> throw WorkCase.unknown(name, system);
          };
      case SchedulerBench.YIELD ->
          switch (system) {
            case SchedulerBench.BUILT_IN -> yields(domain(null));
            case SchedulerBench.ROUND_ROBIN -> yields(domain(RoundRobin.class));
            case SchedulerBench.WAKES -> yields(VirtualThreads.on(new OneCarrier()).factory());
            default -> throw WorkCase.unknown(name, system);
          };
      default -> throw WorkCase.unknown(name, system);
    };
  }

  /// Returns a domain on one processor, so that threads take turns.
  private static Domain domain(@Nullable Class<?> scheduler) throws IOException {
    Scheduling scheduling = Scheduling.DEFAULT.on(Affinity.processors().getFirst());
    return Domain.create(
        DomainWorks.config(DomainWorks.jars())
            .withShared(PortalWorks.Counter.class.getName(), Sample.class.getName())
            .withScheduling(scheduler == null ? scheduling : scheduling.by(scheduler.getName())));
  }

  private static Work calls(@Nullable Class<?> callers, @Nullable Class<?> services)
      throws IOException {
    Domain caller = domain(callers);
    Domain service = domain(services);
    Portals portals = new Portals(CallPath.SERVICE);
    PortalWorks.offer(portals, service);
    PortalWorks.Counter counter =
        portals.lookup(caller, PortalWorks.NAME, PortalWorks.Counter.class).orElseThrow();
    return new Work() {
      @Override
      public long run(int times) throws Exception {
        FutureTask<Long> task =
            new FutureTask<>(() -> {
              for (int i = 0; i < times; i++) {
                counter.nothing();
              }
              return (long) times;
            });
        caller.serviceThread("caller", task).start();
        return task.get();
      }

      @Override
      public void close() {
        caller.kill();
        service.kill();
      }
    };
  }

  private static Work yields(Domain domain) {
    Work work = yields(task -> domain.serviceThread("yields", task));
    return new Work() {
      @Override
      public long run(int times) throws Exception {
        return work.run(times);
      }

      @Override
      public void close() {
        domain.kill();
      }
    };
  }

  /// Returns a work in which two threads yield in turn, `times` times in all.
  private static Work yields(ThreadFactory threads) {
    return times -> {
      Runnable yields = () -> yieldOften(times / 2);
      Thread first = threads.newThread(yields);
      Thread second = threads.newThread(yields);
      first.start();
      second.start();
      first.join();
      second.join();
      return times;
    };
  }

  @SuppressWarnings("ThreadPriorityCheck") // the measured call
  private static void yieldOften(int times) {
    for (int i = 0; i < times; i++) {
      Thread.yield();
    }
  }
}
