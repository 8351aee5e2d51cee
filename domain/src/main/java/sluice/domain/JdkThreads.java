package sluice.domain;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import sluice.sys.threads.Uninterrupted;

/// Starts JDK-internal threads early, in the host. The JDK starts some threads once per JVM when a
/// class is first used. The host starts them before code of a domain can do so. Therefore they are
/// not created in the thread group of a domain, and inherit neither its context class loader nor
/// its thread locals. Any thread may call.
///
/// [DomainThreads] recognizes JDK threads that are not listed here, because the domain did not
/// start them. The domain terminates without them, and its termination removes its context from
/// them.
final class JdkThreads {
  /// A class initializer or a static method without parameters that starts a thread of this kind,
  /// or that keeps the context of its caller forever.
  private record Starter(String prefix, String type, String method) {
    void run() {
      try {
        Class<?> started = Class.forName(type, true, ClassLoader.getPlatformClassLoader());
        if (!method.isEmpty()) {
          started.getMethod(method).invoke(null);
        }
      } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
        // On another JDK, or if a module is missing, no thread is started.
      }
    }
  }

  private static final String REGISTRY = "javax.imageio.spi.IIORegistry";
  private static final List<Starter> STARTERS =
      List.of(
          new Starter("java.util.prefs.", "java.util.prefs.FileSystemPreferences", ""),
          new Starter("javax.management.monitor.", "javax.management.monitor.Monitor", ""),
          // These virtual threads wait for the sockets of all other virtual threads. They inherit
          // the scheduler of the first virtual thread that needs them.
          new Starter("java.net.", "sun.nio.ch.Poller", ""),
          new Starter("java.nio.channels.", "sun.nio.ch.Poller", ""),
          // These methods create the only application context of the JVM.
          new Starter("java.awt.", REGISTRY, "getDefaultInstance"),
          new Starter("javax.imageio.", REGISTRY, "getDefaultInstance"),
          new Starter("javax.swing.", REGISTRY, "getDefaultInstance"));

  /// The starters that have not run yet.
  private static final List<Starter> LEFT = new CopyOnWriteArrayList<>(STARTERS);

  private JdkThreads() {}

  /// The initializer of this class starts, once, the threads that any code may need. The task is a
  /// method of the outer class, because a method of this class would wait in the new thread for
  /// this initializer.
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

  /// Starts the threads of a package before a domain gets a class of it from the JDK.
  static void startFor(String className) {
    if (className.startsWith("java")) {
      List<Starter> due = LEFT.stream().filter(each -> className.startsWith(each.prefix)).toList();
      due.forEach(each -> onHost(each::run));
      LEFT.removeAll(due);
    }
  }

  /// Runs a task in a thread of the host's group that inherits nothing, and waits for it.
  private static void onHost(Runnable task) {
    ThreadGroup group = DomainThreads.HOST;
    Thread thread = new Thread(group, task, "sluice-jdk-threads", 0, false);
    thread.setDaemon(true);
    thread.start();
    Uninterrupted.await(thread::join);
  }
}
