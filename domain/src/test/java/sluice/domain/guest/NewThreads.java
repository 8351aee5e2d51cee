package sluice.domain.guest;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.management.timer.Timer;

/// Guests that create threads in different ways. Loaded in domains.
public final class NewThreads {
  private NewThreads() {}

  private static String text(Thread thread) {
    return thread.getName()
        + " "
        + (thread.isVirtual() ? "virtual" : "platform")
        + " "
        + thread.getThreadGroup().getName();
  }

  private static final class Below extends Thread {
    private Below(Runnable task) {
      super(new Thread(task, "inner"));
    }

    private Below(String name, boolean isTwice) {
      super(isTwice ? name + name : name);
    }
  }

  private static void none() {
    // a task
  }

  /// Returns a line for each way of creating a thread.
  public static final class Ways implements Callable<List<String>> {
    @Override
    @SuppressWarnings("InstantiatingAThreadWithDefaultRunMethod") // they are asked, and not started
    public List<String> call() throws Exception {
      List<String> lines = new ArrayList<>();
      ThreadGroup own = Thread.currentThread().getThreadGroup();
      ThreadGroup below = new ThreadGroup("below");
      lines.add(text(new Thread("a")));
      lines.add(text(new Thread(NewThreads::none, "b")));
      lines.add(text(new Thread(own, NewThreads::none, "c")));
      lines.add(text(new Thread(own, NewThreads::none, "d", 1 << 16)));
      lines.add(text(new Thread(own, NewThreads::none, "e", 0, false)));
      lines.add(text(new Thread((ThreadGroup) null, lines.isEmpty() ? "g" : "f")));
      lines.add(text(new Thread(new Thread(NewThreads::none, "inner"), "outer")));
      lines.add(text(new Thread(own, NewThreads::none, "large", 64 << 20)));
      lines.add(text(new Thread(below, NewThreads::none, "in a group")));
      lines.add(text(new Below("sub", true)));
      Function<Runnable, Thread> ofTask = Thread::new;
      BiFunction<Runnable, String, Thread> ofName = Thread::new;
      Supplier<Thread> ofNothing = Thread::new;
      Function<Runnable, Thread> subclass = Below::new;
      lines.add(text(ofName.apply(NewThreads::none, "by reference")));
      lines.add(String.valueOf(ofTask.apply(NewThreads::none).isVirtual()));
      lines.add(String.valueOf(ofNothing.get().isVirtual()));
      lines.add(String.valueOf(subclass.apply(NewThreads::none).isVirtual()));
      Thread byFactory = Executors.defaultThreadFactory().newThread(NewThreads::none);
      lines.add(String.valueOf(byFactory.isVirtual()));
      return lines;
    }
  }

  /// Uses threads as programs do that know only platform threads.
  public static final class Use implements Callable<List<String>> {
    @Override
    @SuppressWarnings({"ThreadPriorityCheck", "ThreadJoinLoop", "DeadThread"})
    public List<String> call() throws Exception {
      List<String> lines = new ArrayList<>();
      BlockingQueue<String> said = new LinkedBlockingQueue<>();
      CountDownLatch end = new CountDownLatch(1);
      Thread thread =
          new Thread(
              () -> {
                said.add("runs as " + Thread.currentThread().getName());
                try {
                  end.await();
                } catch (InterruptedException e) {
                  said.add("interrupted");
                }
                throw new IllegalStateException("of the thread");
              },
              "used");
      thread.setDaemon(false);
      thread.setPriority(Thread.MAX_PRIORITY);
      thread.setUncaughtExceptionHandler((of, problem) -> said.add(problem.getMessage()));
      lines.add(thread.getState().name());
      thread.start();
      lines.add(said.take());
      lines.add(
          String.valueOf(
              Thread.getAllStackTraces().keySet().stream()
                  .anyMatch(each -> each.getName().equals("used"))));
      thread.interrupt();
      lines.add(said.take());
      lines.add(said.take());
      thread.join();
      lines.add(thread.getState().name());
      lines.add(String.valueOf(thread.getThreadGroup()));
      Thread nothing = new Thread((Runnable) null, "nothing");
      nothing.start();
      nothing.join();
      try {
        new Thread(NewThreads::none, (String) null);
      } catch (NullPointerException e) {
        lines.add("no name");
      }
      long clock = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      lines.add(clock == -1 ? "no clock" : "a clock");
      return lines;
    }
  }

  /// Starts its JDK thread from a platform thread that inherits nothing, and not from a virtual
  /// one.
  public static final class HiddenBelow implements Runnable {
    private static final class Own extends Thread {
      private Own() {
        super(null, null, "own", 0, false);
      }

      @Override
      public void run() {
        new Timer().start();
      }
    }

    @Override
    public void run() {
      Own own = new Own();
      own.start();
      try {
        own.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      while (true) {
        LockSupport.park();
      }
    }
  }

  /// Leaves a thread of the JDK that was started by a thread which inherits nothing of its domain.
  public static final class Hidden implements Runnable {
    @Override
    public void run() {
      ThreadFactory factory = Thread.ofVirtual().inheritInheritableThreadLocals(false).factory();
      Thread thread =
          factory.newThread(() -> {
            Thread.currentThread().setContextClassLoader(null);
            new Timer().start();
          });
      thread.start();
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      while (true) {
        LockSupport.park();
      }
    }
  }
}
