import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.ToLongFunction;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import sluice.domain.Domain;
import sluice.domain.DomainConfig;
import sluice.domain.Scheduling;
import sluice.domain.schedule.Cpu;
import sluice.domain.schedule.ScheduledThread;
import sluice.domain.schedule.Scheduler;

/// Domains that choose themselves which of their threads run: three threads take five turns each,
/// by turns, by priority, by deadline, and in a cooperative domain, which runs one at a time.
///
/// Run: `./sluice example schedulers`
public final class Schedulers {
  /// One thread after another, in the order in which they become ready.
  public static final class RoundRobin implements Scheduler {
    private final ArrayDeque<ScheduledThread> ready = new ArrayDeque<>();

    @Override
    public void activated(Cpu cpu) {
      for (ScheduledThread each = cpu.woken(); each != null; each = cpu.woken()) {
        ready.add(each);
      }
      ScheduledThread next = ready.poll();
      if (next != null) {
        cpu.switchTo(next);
      }
    }
  }

  /// The ready thread with the least of some number, which its name says.
  private abstract static class Least implements Scheduler {
    private final PriorityQueue<ScheduledThread> ready;

    Least(ToLongFunction<ScheduledThread> number) {
      ready = new PriorityQueue<>(Comparator.comparingLong(number));
    }

    @Override
    public final void activated(Cpu cpu) {
      for (ScheduledThread each = cpu.woken(); each != null; each = cpu.woken()) {
        ready.add(each);
      }
      ScheduledThread next = ready.poll();
      if (next != null) {
        cpu.switchTo(next);
      }
    }

    /// The number behind `key=` in a name.
    static long number(ScheduledThread thread, String key) {
      for (String word : thread.name().split(" ")) {
        if (word.startsWith(key)) {
          return Long.parseLong(word.substring(key.length()));
        }
      }
      return Long.MAX_VALUE;
    }
  }

  /// The thread of the highest priority.
  public static final class Priorities extends Least {
    public Priorities() {
      super(thread -> -number(thread, "priority="));
    }
  }

  /// The thread whose deadline comes first.
  public static final class Deadlines extends Least {
    public Deadlines() {
      super(thread -> number(thread, "due="));
    }
  }

  /// Five turns of a thread.
  public static final class Turns implements Runnable {
    @Override
    public void run() {
      for (int i = 0; i < 5; i++) {
        System.out.print(Thread.currentThread().getName().charAt(0) + " ");
        Thread.yield();
      }
    }
  }

  /// Starts the threads, in a thread of the domain: they are ready before one is chosen.
  public static final class Main {
    public static void main(String[] args) throws InterruptedException {
      for (String name : args) {
        Thread.ofVirtual().name(name).start(new Turns());
      }
    }
  }

  public static void main(String[] args) throws Exception {
    Path jar = Files.createTempFile("schedulers", ".jar");
    try {
      pack(jar, RoundRobin.class, Least.class, Priorities.class, Deadlines.class, Turns.class,
          Main.class);
      Scheduling one = Scheduling.DEFAULT.on(0); // one processor: the order is the scheduler's
      run(jar, "round robin", one.by(RoundRobin.class.getName()));
      run(jar, "priorities", one.by(Priorities.class.getName()));
      run(jar, "deadlines", one.by(Deadlines.class.getName()));
      run(jar, "cooperative", Scheduling.COOPERATIVE);
    } finally {
      Files.delete(jar);
    }
  }

  private static void run(Path jar, String title, Scheduling scheduling) throws Exception {
    System.out.printf("%-12s", title);
    DomainConfig config = DomainConfig.of("example", jar).withScheduling(scheduling);
    try (Domain domain = Domain.create(config)) {
      domain
          .run(
              Main.class.getName(),
              "report priority=1 due=900",
              "mail priority=2 due=300",
              "alarm priority=9 due=600")
          .join();
      while (domain.stat().threads() > (scheduling.scheduler() == null ? 0 : 1)) {
        Thread.sleep(1);
      }
      System.out.println();
    }
  }

  /// Packs classes of this file into a jar.
  private static void pack(Path to, Class<?>... classes) throws Exception {
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(to))) {
      for (Class<?> each : List.of(classes)) {
        String file = each.getName() + ".class";
        try (InputStream code = Schedulers.class.getResourceAsStream(file)) {
          jar.putNextEntry(new JarEntry(file));
          code.transferTo(jar);
        }
      }
    }
  }
}
