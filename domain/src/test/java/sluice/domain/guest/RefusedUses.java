package sluice.domain.guest;

import java.io.ByteArrayInputStream;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.net.HttpURLConnection;
import java.net.URLConnection;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Scanner;
import java.util.Timer;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/// Refused calls in all possible positions. Each `call` returns the exception that it caught, or
/// the result if nothing was refused.
@SuppressWarnings({"all", "removal", "deprecation", "unused"})
public final class RefusedUses {
  private RefusedUses() {}

  static int sink;

  /// A library with a refused method that is never called.
  public static final class NotCalled implements Callable<Object> {
    static void setDefaultUseCaches(boolean use) {
      URLConnection.setDefaultUseCaches("jar", use);
    }

    static void end() {
      System.exit(1);
    }

    public Object call() {
      return "works";
    }
  }

  public static final class Called implements Callable<Object> {
    public Object call() {
      System.exit(3);
      return "not refused";
    }
  }

  /// A method reference, which is refused where it is created.
  public static final class ByReference implements Callable<Object> {
    public Object call() {
      IntConsumer exits = System::exit;
      return exits;
    }
  }

  /// A lambda, which can be created; its call is refused.
  public static final class ByLambda implements Callable<Object> {
    public Object call() {
      IntConsumer exits = code -> System.exit(code);
      sink++;
      exits.accept(4);
      return "not refused";
    }
  }

  /// A method of the guest called by reflection.
  public static final class ByReflection implements Callable<Object> {
    public static void exits() {
      Runtime.getRuntime().halt(5);
    }

    public Object call() throws Exception {
      try {
        ByReflection.class.getMethod("exits").invoke(null);
      } catch (InvocationTargetException e) {
        throw (Exception) e.getCause();
      }
      return "not refused";
    }
  }

  /// A method of the guest called by a handle.
  public static final class ByHandle implements Callable<Object> {
    public static void exits() {
      Runtime.getRuntime().halt(6);
    }

    public Object call() throws Exception {
      MethodHandle handle =
          MethodHandles.lookup()
              .findStatic(ByHandle.class, "exits", MethodType.methodType(void.class));
      try {
        handle.invoke();
      } catch (Throwable t) {
        throw (Exception) t;
      }
      return "not refused";
    }
  }

  /// A call with a long on the stack, above a double that a branch has produced.
  public static final class WideArguments implements Callable<Object> {
    public Object call() {
      double below = sink < 0 ? 1.0 : 2.0;
      long at = sink < 0 ? 3L : 4L;
      double sum =
          below
              + (sink < 0 ? below : 5.0)
                  * MemorySegment.ofAddress(at + (sink < 0 ? 1L : 2L)).byteSize();
      return sum;
    }
  }

  /// A constructor whose object is not initialized while its arguments are computed.
  public static final class Constructor implements Callable<Object> {
    public Object call() {
      Timer timer = new Timer(sink < 0 ? "a" : "b", sink == 7);
      return timer;
    }
  }

  /// A guest that catches everything and continues.
  public static final class Caught implements Callable<Object> {
    public Object call() {
      List<String> seen = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        try {
          HttpURLConnection.setFollowRedirects(true);
          seen.add("not refused");
        } catch (Throwable t) {
          seen.add(t.getClass().getName());
        } finally {
          seen.add("finally " + i);
        }
      }
      synchronized (seen) {
        try {
          Security.setProperty("x", "y");
        } catch (SecurityException e) {
          seen.add("caught");
        }
      }
      return seen;
    }
  }

  /// A call in an initializer.
  public static final class Initializer implements Callable<Object> {
    static final class Holder {
      static final long PID = ProcessHandle.current().pid();
    }

    public Object call() throws Exception {
      try {
        return Holder.PID;
      } catch (ExceptionInInitializerError e) {
        throw (Exception) e.getCause();
      }
    }
  }

  /// A call before the superclass's constructor.
  public static final class BeforeSuper implements Callable<Object> {
    static class Above {
      Above(long id) {}
    }

    static final class Below extends Above {
      Below(boolean which) {
        super(which ? ProcessHandle.current().pid() : 1L);
      }
    }

    public Object call() {
      new Below(false);
      return new Below(true);
    }
  }

  /// References to methods whose calls are redirected, while references are not.
  public static final class ReferenceToPool implements Callable<Object> {
    public Object call() {
      Supplier<ExecutorService> pool = Executors::newCachedThreadPool;
      return pool;
    }
  }

  public static final class ReferenceToSocket implements Callable<Object> {
    public Object call() {
      Callable<Object> socket = java.net.Socket::new;
      return socket;
    }
  }

  /// Passes a pattern of the domain to the JDK.
  public static final class GivesPattern implements Callable<Object> {
    public Object call() {
      Scanner scanner = new Scanner(new ByteArrayInputStream(new byte[] {'a'}));
      return scanner.next(Pattern.compile("a+"));
    }
  }

  public static final class RefersWithPattern implements Callable<Object> {
    public Object call() {
      Scanner scanner = new Scanner("a");
      Consumer<Pattern> skip = scanner::skip;
      return skip;
    }
  }

  /// A refused call next to code that javac generates for switches, records and strings, which must
  /// stay intact.
  public static final class Mixed implements Callable<Object> {
    record Two(long a, double b) {}

    static long exits(Object o) {
      return switch (o) {
        case String s when s.isEmpty() -> ProcessHandle.current().pid();
        case Two(long a, double b) -> a + (long) b;
        default -> Arrays.stream(new long[] {1, 2}).sum();
      };
    }

    public Object call() {
      return exits(new Two(1, 2.0)) + " " + exits("x") + " " + exits("");
    }
  }

  /// Loops forever: catches the refusal and tries again.
  public static final class ForEver implements Runnable {
    public void run() {
      while (true) {
        try {
          System.exit(1);
        } catch (SecurityException e) {
          sink++;
        }
      }
    }
  }

  /// Loops forever as [ForEver] does, on a full stack.
  public static final class ForEverOnAFullStack implements Runnable {
    public void run() {
      while (true) {
        try {
          deeper();
        } catch (StackOverflowError e) {
          sink++;
        }
      }
    }

    private void deeper() {
      try {
        deeper();
      } finally {
        System.exit(1);
      }
    }
  }
}
