package sluice.domain.guest;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Proxy;
import java.security.SecureClassLoader;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.logging.Filter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import sluice.domain.inside.Home;
import sluice.domain.inside.InsideLoader;

/// Guests that try to get out of a domain or past its end, one class for each way. Loaded only in
/// domains.
@SuppressWarnings({"all", "unused"})
public final class Evasions {
  static volatile boolean never;
  static long sink;

  /// Installs itself wherever a logger can be reached, and loops when it is called.
  public static final class HandlerOfLogger extends Handler
      implements Runnable, Filter, Callable<String> {
    @SuppressWarnings("deprecation") // the field Logger.global
    public String call() {
      for (String name : List.of("", "sluice.shared", "global")) {
        at(Logger.getLogger(name));
        at(LogManager.getLogManager().getLogger(name));
      }
      at(Logger.global);
      at(Logger.getGlobal());
      at(Logger.getAnonymousLogger());
      Collections.list(LogManager.getLogManager().getLoggerNames())
          .forEach(name -> at(Logger.getLogger(name)));
      Logger mine = new Logger("sluice.shared.below", null) {};
      at(mine);
      boolean added = LogManager.getLogManager().addLogger(mine);
      String parent = Logger.getLogger("sluice.shared.below").getParent().getName();
      return added
          + " below "
          + parent
          + " of "
          + LogManager.getLogManager().getLogger("").getName();
    }

    private void at(Logger logger) {
      for (Logger each = logger; each != null; each = each.getParent()) {
        for (Handler handler : each.getHandlers()) {
          handler.setFilter(this);
        }
        each.addHandler(this);
        each.setFilter(this);
        each.setLevel(Level.ALL);
      }
    }

    public void run() {
      Logger.getLogger("sluice.shared").info("of the guest");
    }

    public boolean isLoggable(LogRecord record) {
      while (!never) {
        sink++;
      }
      return true;
    }

    public void publish(LogRecord record) {
      isLoggable(record);
    }

    public void flush() {
      isLoggable(null);
    }

    public void close() {
      isLoggable(null);
    }
  }

  public static final class LogsPlainly implements Runnable {
    public void run() {
      Logger.getLogger("sluice.shared").info("plain words of the guest");
    }
  }

  public static final class IdleNamedPool implements Runnable {
    public void run() {
      Executors.newFixedThreadPool(1, Thread::new).submit(() -> sink++);
    }
  }

  public static final class IdleOwnPool implements Runnable {
    public void run() {
      new ThreadPoolExecutor(1, 1, 1, TimeUnit.HOURS, new LinkedBlockingQueue<>())
          .submit(() -> sink++);
    }
  }

  public static final class IdlePoolBelow implements Runnable {
    static final class Below extends ThreadPoolExecutor {
      Below() {
        super(1, 1, 1, TimeUnit.HOURS, new LinkedBlockingQueue<>());
      }

      public List<Runnable> shutdownNow() {
        while (!never) {
          sink++;
        }
        return List.of();
      }
    }

    public void run() {
      new Below().submit(() -> sink++);
    }
  }

  public static final class HashOfThread implements Runnable {
    static volatile boolean started;

    public void run() {
      Thread thread =
          new Thread(
              () -> {
                while (!never) {
                  sink++;
                }
              }) {
            public int hashCode() {
              while (started) {
                sink++;
              }
              return 1;
            }
          };
      thread.start();
      started = true;
    }
  }

  public static final class StateOfThread implements Runnable {
    public void run() {
      new Thread(
          () -> {
            while (!never) {
              sink++;
            }
          }) {
        public State getState() {
          while (!never) {
            sink++;
          }
          return super.getState();
        }
      }.start();
    }
  }

  public static final class InterruptOfThread implements Runnable {
    public void run() {
      new Thread(
          () -> {
            while (true) {
              try {
                Thread.sleep(100_000);
              } catch (InterruptedException e) {
                sink++;
              }
            }
          }) {
        public void interrupt() {
          sink++;
        }
      }.start();
    }
  }

  public static final class HandlerOfThread implements Runnable {
    public void run() {
      new Thread(
          () -> {
            while (!never) {
              sink++;
            }
          }) {
        public UncaughtExceptionHandler getUncaughtExceptionHandler() {
          while (!never) {
            sink++;
          }
          return super.getUncaughtExceptionHandler();
        }
      }.start();
    }
  }

  public static final class SettingOfHandler implements Runnable {
    public void run() {
      new Thread(
          new ThreadGroup("another"),
          () -> {
            while (!never) {
              sink++;
            }
          }) {
        public void setUncaughtExceptionHandler(UncaughtExceptionHandler handler) {
          while (!never) {
            sink++;
          }
        }
      }.start();
    }
  }

  public static final class ThreadFromVirtual implements Runnable {
    public void run() {
      Thread.startVirtualThread(() ->
          Executors.newFixedThreadPool(1, Thread::new)
              .submit(() -> {
                while (true) {
                  try {
                    Thread.sleep(100_000);
                  } catch (InterruptedException e) {
                    sink++;
                  }
                }
              }));
    }
  }

  /// Returns the number of threads that its pool got.
  public static final class CachedBomb implements Callable<Integer> {
    public Integer call() {
      ExecutorService pool = Executors.newCachedThreadPool(Thread::new);
      int got = 0;
      for (int i = 0; i < 20; i++) {
        try {
          pool.submit(() -> {
            while (true) {
              try {
                Thread.sleep(100_000);
              } catch (InterruptedException e) {
                sink++;
              }
            }
          });
          got++;
        } catch (IllegalStateException e) {
          sink++;
        }
      }
      return got;
    }
  }

  /// Returns the groups of all threads that ran a task.
  public static final class Parallel implements Callable<Set<String>> {
    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

    private static void see(String how) {
      SEEN.add(how + " " + Thread.currentThread().getThreadGroup().getName());
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        sink++;
      }
    }

    static final class Below extends CompletableFuture<Object> {
      void go() {
        CompletableFuture<Void> then = this.thenRunAsync(() -> see("future below"));
        complete("x");
        then.join();
      }
    }

    public Set<String> call() {
      List<Integer> numbers = new ArrayList<>(IntStream.range(0, 100).boxed().toList());
      numbers.parallelStream().forEach(i -> see("list"));
      new TreeSet<>(numbers).parallelStream().forEach(i -> see("set"));
      StreamSupport.stream(numbers.spliterator(), true).forEach(i -> see("support"));
      IntStream.range(0, 100).parallel().forEach(i -> see("range"));
      new Below().go();
      return SEEN;
    }
  }

  /// A custom level, which the host could find by its name.
  public static final class LevelBelow implements Runnable {
    static final class Below extends Level {
      Below() {
        super("GUEST", 850);
      }
    }

    public void run() {
      new Below();
    }
  }

  /// Parses levels by name and number; a number unknown to the JDK is refused.
  public static final class ParsesLevels implements Callable<List<Object>> {
    public List<Object> call() {
      List<Object> found = new ArrayList<>();
      Function<String, Level> parse = Level::parse;
      for (String name : List.of("WARNING", "800", "-2147483648", "850", "GUEST", "HOST")) {
        try {
          found.add(parse.apply(name));
          found.add(Level.parse(name));
        } catch (IllegalArgumentException e) {
          found.add(e.getMessage().substring(0, 12));
        }
      }
      return found;
    }
  }

  public static final class LoaderBelow implements Runnable {
    static final class Below extends SecureClassLoader {
      Class<?> make(byte[] bytes) {
        return defineClass("x", bytes, 0, bytes.length);
      }
    }

    public void run() {
      new Below();
    }
  }

  public static final class InsideBelow implements Runnable {
    static final class Below extends InsideLoader {
      Below() {
        super("x", null);
      }

      protected MutableCallSite gate() {
        return null;
      }

      protected Runnable look() {
        return null;
      }

      protected Home home() {
        return null;
      }

      Class<?> make(byte[] bytes) {
        return defineClass("x", bytes, 0, bytes.length);
      }
    }

    public void run() {
      new Below();
    }
  }

  public static final class HandleLoop implements Runnable {
    public void run() {
      try {
        MethodHandle yes = MethodHandles.constant(boolean.class, true);
        MethodHandle body = MethodHandles.empty(MethodType.methodType(void.class));
        MethodHandles.whileLoop(null, yes, body).invoke();
      } catch (RuntimeException e) {
        throw e;
      } catch (Throwable t) {
        sink++;
      }
    }
  }

  public static final class HandleThatCatches implements Runnable {
    public void run() {
      MethodHandle body = MethodHandles.empty(MethodType.methodType(void.class));
      MethodHandle nothing =
          MethodHandles.empty(MethodType.methodType(void.class, Throwable.class));
      MethodHandles.catchException(body, Throwable.class, nothing);
    }
  }

  public static final class OfLayers implements Runnable {
    public void run() {
      ModuleFinder none = ModuleFinder.of();
      ModuleLayer boot = ModuleLayer.boot();
      boot.defineModulesWithOneLoader(boot.configuration().resolve(none, none, List.of()), null);
    }
  }

  /// Calls a static method of the JDK through the name of a subclass.
  public static final class InheritedStatic implements Runnable {
    static final class Below extends Thread {}

    public void run() {
      Below.setDefaultUncaughtExceptionHandler((t, e) -> {});
    }
  }

  static boolean loop() {
    while (!never) {
      sink++;
    }
    return true;
  }

  public static final class HostileIterator implements Runnable {
    public void run() {
      Collections.frequency(
          new AbstractCollection<String>() {
            public Iterator<String> iterator() {
              return new Iterator<>() {
                public boolean hasNext() {
                  return true;
                }

                public String next() {
                  return sink++ < 0 ? "x" : "";
                }
              };
            }

            public int size() {
              return 1;
            }
          },
          "x");
    }
  }

  public static final class InitialValue implements Runnable {
    public void run() {
      ThreadLocal.withInitial(Evasions::loop).get();
    }
  }

  public static final class ValueOfChild implements Runnable {
    public void run() {
      InheritableThreadLocal<String> value =
          new InheritableThreadLocal<>() {
            protected String childValue(String parent) {
              loop();
              return parent;
            }
          };
      value.set("x");
      new Thread(() -> {}).start();
    }
  }

  public static final class ChainOfFutures implements Runnable {
    public void run() {
      CompletableFuture.supplyAsync(() -> 1)
          .thenApplyAsync(one -> loop())
          .handleAsync((value, problem) -> loop())
          .whenComplete((value, problem) -> loop());
      loop();
    }
  }

  public static final class HandlerOfDeath implements Runnable {
    public void run() {
      Thread thread =
          new Thread(() -> {
            throw new IllegalStateException();
          });
      thread.setUncaughtExceptionHandler((t, e) -> loop());
      thread.start();
    }
  }

  public static final class ProxyThatLoops implements Runnable {
    public void run() {
      Object proxy =
          Proxy.newProxyInstance(
              Evasions.class.getClassLoader(),
              new Class<?>[] {Comparable.class},
              (self, method, arguments) -> loop());
      Arrays.asList(proxy, proxy).sort(null);
    }
  }

  public static final class EndlessInitializer implements Runnable {
    static final class Of {
      static final boolean VALUE = loop();
    }

    public void run() {
      sink += Of.VALUE ? 1 : 0;
    }
  }

  public static final class NestedCatch implements Runnable {
    public void run() {
      while (true) {
        try {
          try {
            try {
              loop();
            } catch (Error e) {
              loop();
            } finally {
              loop();
            }
          } catch (Throwable t) {
            synchronized (this) {
              loop();
            }
          } finally {
            try {
              loop();
            } finally {
              loop();
            }
          }
        } catch (Throwable t) {
          sink++;
          continue;
        }
      }
    }
  }

  public static final class WalkerThatLoops implements Runnable {
    public void run() {
      StackWalker.getInstance().forEach(frame -> loop());
    }
  }

  public static final class ReadObjectThatLoops implements Runnable, Serializable {
    private void readObject(ObjectInputStream in) {
      loop();
    }

    public void run() {
      try {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ObjectOutputStream(bytes).writeObject(this);
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
      } catch (IOException | ClassNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  public static final class PinnedVirtual implements Runnable {
    public void run() {
      for (int i = 0; i < 8; i++) {
        Thread.ofVirtual()
            .start(() -> {
              synchronized (new Object()) {
                loop();
              }
            });
      }
      loop();
    }
  }

  public static final class TextOfProblem implements Runnable {
    static final class Problem extends RuntimeException {
      public String toString() {
        loop();
        return "";
      }

      public synchronized Throwable getCause() {
        loop();
        return null;
      }
    }

    public void run() {
      throw new Problem();
    }
  }

  /// Closes the streams and then prints an object whose text never ends.
  public static final class HoldsStream implements Runnable {
    public void run() {
      new IllegalStateException("a trace of the guest").printStackTrace();
      System.out.close();
      System.err.close();
      System.out.printf(
          "%s",
          new Object() {
            public String toString() {
              loop();
              return "";
            }
          });
    }
  }

  /// Runs JDK code on JDK objects, which has no gate.
  public static final class EndlessStream implements Runnable {
    public static final AtomicBoolean RELEASED = new AtomicBoolean();

    public static void release() {
      RELEASED.set(true);
    }

    public void run() {
      Stream.generate(RELEASED::get).anyMatch(Boolean.TRUE::equals);
    }
  }

  /// Waits in `join` of a future, which continues after an interrupt.
  public static final class EndlessJoin implements Runnable {
    public static final CompletableFuture<String> NEVER = new CompletableFuture<>();

    public static void release() {
      NEVER.complete("released");
    }

    public void run() {
      NEVER.join();
    }
  }
}
