package sluice.bench.domain;

import com.esotericsoftware.kryo.Kryo;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Exchanger;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.apache.fory.Fory;
import org.apache.fory.config.Language;
import org.jspecify.annotations.Nullable;
import sluice.domain.carrier.Carriers;
import sluice.domain.carrier.QueueTerms;
import sluice.domain.carrier.RunQueue;
import sluice.domain.portal.CallPath;
import sluice.domain.portal.Party;
import sluice.domain.portal.Portals;
import sluice.domain.portal.copy.Copiers;
import sluice.domain.portal.copy.CopyQuota;
import sluice.sys.threads.VirtualThreads;

/// The systems of bench portal. Stateless: each work has its own objects.
final class PortalWorks {
  /// The interface of a service, as a plug-in has it.
  public interface Counter {
    /// Passes nothing.
    void nothing();

    /// Passes an order.
    ///
    /// @return its number
    long take(Sample.Order order);
  }

  /// The service: reads a field, so that a call does something.
  private static final class Plain implements Counter {
    @SuppressWarnings("UnusedVariable") // the effect of a call
    private long seen;

    @Override
    public void nothing() {
      seen++;
    }

    @Override
    public long take(Sample.Order order) {
      return order.number;
    }
  }

  static final String NAME = "counter";

  /// Offers a counter.
  static void offer(Portals portals, Party owner) {
    portals.register(owner, NAME, Counter.class, new Plain(), CallPath.SERVICE);
  }

  /// Returns a party of the host that calls.
  static Party caller() {
    return new Side("caller");
  }

  private record Side(String name) implements Party {
    @Override
    public ClassLoader loader() {
      return PortalWorks.class.getClassLoader();
    }

    @Override
    public boolean alive() {
      return true;
    }

    @Override
    public void onEnd(Runnable task) {
      // the process ends first
    }
  }

  private interface Copy {
    Object copy(Object source);
  }

  private PortalWorks() {}

  static Work of(String name, String system) throws IOException {
    return switch (name) {
      case PortalBench.CALL -> call(name, system);
      case PortalBench.RECORD -> record(name, system);
      case PortalBench.ORDER -> order(name, system);
      case PortalBench.ORDER_CALL -> orders(counter(name, system));
      default -> throw WorkCase.unknown(name, system);
    };
  }

  private static Work call(String name, String system) throws IOException {
    return switch (system) {
      case PortalBench.QUEUE -> new QueueWork();
      case PortalBench.EXCHANGER -> new ExchangerWork();
      case PortalBench.WASM -> WasmWork.make();
      case PortalBench.DOMAINS -> new CallWork(false);
      case PortalBench.BUDGETS -> new CallWork(true);
      case PortalBench.WAKES -> new WakeWork(VirtualThreads.on(new OneCarrier()));
      case PortalBench.PLATFORM_WAKES -> new WakeWork(Thread.ofPlatform());
      default -> nothing(counter(name, system));
    };
  }

  private static Counter counter(String name, String system) throws IOException {
    return switch (system) {
      case PortalBench.DIRECT -> new Plain();
      case PortalBench.FAST -> portal(new Portals(CallPath.DIRECT), CallPath.DIRECT);
      case PortalBench.SERVICE -> portal(new Portals(CallPath.SERVICE), CallPath.SERVICE);
      default -> throw WorkCase.unknown(name, system);
    };
  }

  private static Counter portal(Portals portals, CallPath path) {
    Side owner = new Side("service");
    portals.register(owner, NAME, Counter.class, new Plain(), path);
    return portals.lookup(new Side("caller"), NAME, Counter.class).orElseThrow();
  }

  private static Work nothing(Counter counter) {
    return times -> {
      for (int i = 0; i < times; i++) {
        counter.nothing();
      }
      return times;
    };
  }

  private static Work orders(Counter counter) {
    Sample.Order order = Sample.order();
    return times -> {
      long sum = 0;
      for (int i = 0; i < times; i++) {
        sum += counter.take(order);
      }
      return sum;
    };
  }

  private static Work record(String name, String system) throws IOException {
    Sample.Reading source = Sample.reading();
    if (!system.equals(PortalBench.BY_HAND)) {
      return copies(copy(name, system), source);
    }
    return copies(
        from -> {
          Sample.Reading of = (Sample.Reading) from;
          return new Sample.Reading(
              of.at(), of.from(), of.to(), of.sum(), of.mean(), of.count(), of.kind());
        },
        source);
  }

  private static Work order(String name, String system) throws IOException {
    Sample.Order source = Sample.order();
    return copies(
        system.equals(PortalBench.BY_HAND)
            ? from -> Sample.copyByHand((Sample.Order) from)
            : copy(name, system),
        source);
  }

  private static Copy copy(String name, String system) throws IOException {
    return switch (system) {
      case PortalBench.COPY -> {
        Copiers copiers = new Copiers(PortalWorks.class.getClassLoader());
        yield source -> Objects.requireNonNull(copiers.copy(source, CopyQuota.STANDARD));
      }
      case PortalBench.KRYO -> {
        Kryo kryo = new Kryo();
        kryo.setRegistrationRequired(false);
        kryo.setReferences(true);
        yield kryo::copy;
      }
      case PortalBench.FORY -> {
        Fory fory =
            Fory.builder()
                .withLanguage(Language.JAVA)
                .withRefCopy(true)
                .requireClassRegistration(false)
                .build();
        yield fory::copy;
      }
      default -> throw WorkCase.unknown(name, system);
    };
  }

  /// Returns a work that stores each copy where another thread could see it, so that the copy is
  /// really made.
  private static Work copies(Copy copy, Object source) {
    return new Work() {
      private Object last = source;

      @Override
      public long run(int times) {
        for (int i = 0; i < times; i++) {
          last = copy.copy(source);
        }
        return System.identityHashCode(last);
      }
    };
  }

  /// Calls a service from a thread of another domain, as any two domains are placed: on the
  /// carriers that all share.
  private static final class CallWork implements Work {
    private final RunQueue callers;
    private final Work calls;

    CallWork(boolean countsBytes) {
      Portals portals = new Portals(CallPath.SERVICE);
      Party owner = new Queued("service", queue("service", countsBytes));
      offer(portals, owner);
      callers = queue("caller", countsBytes);
      Party caller = new Queued("caller", callers);
      calls = nothing(portals.lookup(caller, NAME, Counter.class).orElseThrow());
    }

    private static RunQueue queue(String name, boolean countsBytes) {
      return Carriers.shared()
          .queue(name, QueueTerms.DEFAULT.withBytes(countsBytes), problem -> {});
    }

    @Override
    public long run(int times) throws Exception {
      FutureTask<Long> task = new FutureTask<>(() -> calls.run(times));
      callers.threads().start(task);
      return task.get();
    }
  }

  /// The lower bound for a call between two threads: they wake each other in turn, and pass
  /// nothing.
  private static final class WakeWork implements Work {
    private final Function<Runnable, Thread> start;
    private final Thread server;
    private volatile @Nullable Thread caller;
    private volatile boolean asked;

    WakeWork(Thread.Builder threads) {
      start = threads::unstarted;
      server = threads.unstarted(this::serve);
      server.setDaemon(true);
      server.start();
    }

    private void serve() {
      while (true) {
        while (!asked) {
          LockSupport.park(this);
        }
        asked = false;
        LockSupport.unpark(caller);
      }
    }

    private long call(int times) {
      caller = Thread.currentThread();
      for (int i = 0; i < times; i++) {
        asked = true;
        LockSupport.unpark(server);
        while (asked) {
          LockSupport.park(this);
        }
      }
      return times;
    }

    @Override
    public long run(int times) throws Exception {
      FutureTask<Long> task = new FutureTask<>(() -> call(times));
      start.apply(task).start();
      return task.get();
    }
  }

  private record Queued(String name, RunQueue queue) implements Party {
    @Override
    public ClassLoader loader() {
      return PortalWorks.class.getClassLoader();
    }

    @Override
    public boolean alive() {
      return true;
    }

    @Override
    public void onEnd(Runnable task) {
      // the process ends first
    }

    @Override
    public Thread serviceThread(String threadName, Runnable task) {
      return queue.threads().name(threadName).unstarted(task);
    }
  }

  /// Passes a task to a thread and its answer back, both through a queue without capacity.
  private static final class QueueWork implements Work {
    private final SynchronousQueue<Long> there = new SynchronousQueue<>();
    private final SynchronousQueue<Long> back = new SynchronousQueue<>();
    private final Thread server = Thread.ofPlatform().daemon().start(this::serve);

    private void serve() {
      try {
        while (true) {
          back.put(there.take() + 1);
        }
      } catch (InterruptedException e) {
        // the end
      }
    }

    @Override
    public long run(int times) throws InterruptedException {
      long sum = 0;
      for (int i = 0; i < times; i++) {
        there.put((long) i);
        sum += back.take();
      }
      return sum;
    }

    @Override
    public void close() {
      server.interrupt();
    }
  }

  /// Passes a task and its answer by two exchanges.
  private static final class ExchangerWork implements Work {
    private final Exchanger<Long> meeting = new Exchanger<>();
    private final Thread server = Thread.ofPlatform().daemon().start(this::serve);

    private void serve() {
      try {
        while (true) {
          long asked = meeting.exchange(0L);
          meeting.exchange(asked + 1);
        }
      } catch (InterruptedException e) {
        // the end
      }
    }

    @Override
    public long run(int times) throws InterruptedException {
      long sum = 0;
      for (int i = 0; i < times; i++) {
        meeting.exchange((long) i);
        sum += meeting.exchange(0L);
      }
      return sum;
    }

    @Override
    public void close() {
      server.interrupt();
    }
  }
}
