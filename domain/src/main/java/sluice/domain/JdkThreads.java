package sluice.domain;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import sluice.sys.threads.Uninterrupted;

/// Threads that the JDK starts for itself and once for the JVM, at the first use of a class: the
/// host starts them before code of a domain can, so that they are not born into the thread group of
/// a domain and inherit neither its context class loader nor its thread locals. Any thread may
/// call.
///
/// Threads that are not named here are told apart by [DomainThreads]: the domain did not start
/// them, so it ends without them, and its end takes its context from them.
final class JdkThreads {
  /// The initializer of a class, or a static method without parameters, that starts such a thread
  /// or keeps the context of its caller for ever.
  private record Starter(String prefix, String type, String method) {
    void run() {
      try {
        Class<?> started = Class.forName(type, true, ClassLoader.getPlatformClassLoader());
        if (!method.isEmpty()) {
          started.getMethod(method).invoke(null);
        }
      } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
        // Another JDK, or a module that is not there: it starts no thread then.
      }
    }
  }

  private static final String REGISTRY = "javax.imageio.spi.IIORegistry";
  private static final List<Starter> STARTERS =
      List.of(
          new Starter("java.util.prefs.", "java.util.prefs.FileSystemPreferences", ""),
          new Starter("javax.management.monitor.", "javax.management.monitor.Monitor", ""),
          // Virtual threads that wait for the sockets of all other ones: they inherit the scheduler
          // of
          // the virtual thread that is the first to need them.
          new Starter("java.net.", "sun.nio.ch.Poller", ""),
          new Starter("java.nio.channels.", "sun.nio.ch.Poller", ""),
          // These make the one application context of the JVM.
          new Starter("java.awt.", REGISTRY, "getDefaultInstance"),
          new Starter("javax.imageio.", REGISTRY, "getDefaultInstance"),
          new Starter("javax.swing.", REGISTRY, "getDefaultInstance"));

  /// The starters that have not run.
  private static final List<Starter> LEFT = new CopyOnWriteArrayList<>(STARTERS);

  private JdkThreads() {}

  /// Its initializer starts, once, the threads that any code may need. The task is of the other
  /// class: the thread that runs it would wait for this one's initializer.
  private static final class Started {
    static {
      onHost(JdkThreads::delays);
    }

    private Started() {}

    static void ensure() {
      // The initializer has run.
    }
  }

  /// Starts the threads that any code may need.
  static void start() {
    Started.ensure();
  }

  /// Starts the common pool's timer thread, which `CompletableFuture` and `ForkJoinPool` use.
  private static void delays() {
    CompletableFuture<Boolean> past = new CompletableFuture<>();
    past.completeOnTimeout(true, 1, TimeUnit.NANOSECONDS).join();
  }

  /// Called before a domain gets a class of the JDK: starts the threads of its package.
  static void startFor(String className) {
    if (className.startsWith("java")) {
      List<Starter> due = LEFT.stream().filter(each -> className.startsWith(each.prefix)).toList();
      due.forEach(each -> onHost(each::run));
      LEFT.removeAll(due);
    }
  }

  /// Runs a task in a thread of the host's group that inherits nothing.
  private static void onHost(Runnable task) {
    ThreadGroup group = DomainThreads.HOST;
    Thread thread = new Thread(group, task, "sluice-jdk-threads", 0, false);
    thread.setDaemon(true);
    thread.start();
    Uninterrupted.await(thread::join);
  }
}
