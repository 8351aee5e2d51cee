package sluice.domain.simulate;

import com.sun.management.ThreadMXBean;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import sluice.sys.threads.VirtualThreads;

/// What woven code calls instead of the JVM's threads and their clocks, and of the module `sys`:
/// platform threads are threads of the simulation, and virtual ones are strands. Stateless.
public final class Instead {
  private static final int CPUS = 4;

  private Instead() {}

  // ---- LockSupport --------------------------------------------------------------------------

  /// Instead of `LockSupport.park`.
  public static void park() {
    parkNanos(-1);
  }

  /// Instead of `LockSupport.park` with an object.
  public static void park(Object blocker) {
    parkNanos(-1);
  }

  /// Instead of `LockSupport.parkNanos` with an object.
  public static void parkNanos(Object blocker, long nanos) {
    parkNanos(nanos);
  }

  /// Instead of `LockSupport.parkNanos`.
  public static void parkNanos(long nanos) {
    SimulatedThread here = Simulation.now().running();
    Strand strand = here.strand();
    if (strand == null) {
      here.park(nanos);
    } else {
      strand.park(nanos);
    }
  }

  /// Instead of `LockSupport.unpark`.
  public static void unpark(@Nullable Thread thread) {
    SimulatedThread known = thread == null ? null : Simulation.now().find(thread);
    if (known == null) {
      return; // not begun
    }
    Strand strand = known.strand();
    if (strand == null) {
      known.unpark();
    } else {
      strand.unpark();
    }
  }

  // ---- Thread -------------------------------------------------------------------------------

  /// Instead of `Thread.currentThread`.
  public static Thread currentThread() {
    Thread real = Thread.currentThread();
    return real.isVirtual() ? Simulation.now().running().identity() : real;
  }

  /// Instead of `Thread.yield`.
  public static void giveUp() {
    Strand strand = Simulation.now().running().strand();
    if (strand == null) {
      Simulation.step();
    } else {
      strand.giveUp();
    }
  }

  /// Instead of `Thread.start`.
  public static void start(Thread thread) {
    SimulatedThread known = Simulation.now().find(thread);
    Strand strand = known == null ? null : known.strand();
    if (strand == null) {
      thread.start();
    } else {
      strand.start();
    }
  }

  /// Instead of the start of a worker.
  public static void startPlatform(Thread thread) {
    Simulation.now().platform(thread).start();
  }

  /// Instead of `Thread.Builder.OfVirtual.unstarted`.
  public static Thread unstarted(Thread.Builder.OfVirtual builder, Runnable task) {
    return Simulation.now().unstarted(builder, task);
  }

  /// Instead of `ThreadGroup.uncaughtException`.
  public static void uncaught(ThreadGroup group, Thread thread, Throwable problem) {
    Simulation.now().failed(problem);
  }

  // ---- sys ----------------------------------------------------------------------------------

  /// Instead of `VirtualThreads.on`.
  public static Thread.Builder.OfVirtual on(Executor scheduler) {
    Thread.Builder.OfVirtual builder = VirtualThreads.on(scheduler);
    Simulation.now().builds(builder, scheduler);
    return builder;
  }

  /// Instead of `VirtualThreads.carrier`.
  public static Thread carrier() {
    Thread real = Thread.currentThread();
    if (!real.isVirtual()) {
      return real;
    }
    SimulatedThread here = Simulation.now().running();
    Strand strand = here.strand();
    SimulatedThread carrier = strand == null ? null : strand.carrier();
    return (carrier == null ? here : carrier).identity();
  }

  /// Instead of `VirtualThreads.continuation`.
  public static Runnable continuation(Thread virtual) {
    SimulatedThread known = Simulation.now().find(virtual);
    Strand strand = known == null ? null : known.strand();
    if (strand == null) {
      throw new IllegalStateException(virtual + " is no strand");
    }
    return strand;
  }

  /// Instead of `HostThread.daemon`.
  public static Thread daemon(String name, Runnable task) {
    return Simulation.now().thread(name, task);
  }

  /// Instead of `HostThread.group`.
  public static @Nullable ThreadGroup group() {
    return null;
  }

  /// Instead of `Affinity.processors`.
  public static List<Integer> processors() {
    return java.util.stream.IntStream.range(0, CPUS).boxed().toList();
  }

  /// Instead of `Affinity.bind`.
  public static int bind(int processor) {
    Simulation.now().running().bind(processor);
    return 0;
  }

  /// Instead of `TimeSlice.threadNumber`.
  public static int threadNumber() {
    return 1;
  }

  /// Instead of `TimeSlice.set`: the simulated kernel has no slices.
  public static int slice(int threadNumber, long nanos) {
    return 0;
  }

  // ---- clocks -------------------------------------------------------------------------------

  /// Instead of `ThreadMXBean.getCurrentThreadCpuTime`.
  public static long currentCpu(ThreadMXBean real) {
    return Simulation.now().running().readCpu();
  }

  /// Instead of `ThreadMXBean.getThreadCpuTime`; as there, -1 of a thread that has not started.
  public static long cpu(ThreadMXBean real, long thread) {
    SimulatedThread known = Simulation.now().platform(thread);
    return known == null ? -1 : known.cpuNanos();
  }

  /// Instead of `ThreadMXBean.getCurrentThreadAllocatedBytes`.
  public static long currentBytes(ThreadMXBean real) {
    return Simulation.now().running().bytes();
  }

  /// Instead of `ThreadMXBean.getThreadAllocatedBytes`.
  public static long bytes(ThreadMXBean real, long thread) {
    SimulatedThread known = Simulation.now().platform(thread);
    return known == null ? -1 : known.bytes();
  }

  // ---- collections --------------------------------------------------------------------------

  /// Instead of `Map.values` where the order depends on the JVM.
  public static <V> Collection<V> values(Map<?, V> map) {
    return map.values().stream().sorted(Comparator.comparing(String::valueOf)).toList();
  }
}
