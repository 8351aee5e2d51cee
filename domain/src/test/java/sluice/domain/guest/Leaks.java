package sluice.domain.guest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.ListResourceBundle;
import java.util.ResourceBundle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import javax.management.ObjectName;

/// Guests that leave objects of a domain in the JVM, one class for each way. Loaded only in
/// domains.
@SuppressWarnings({"all", "unused"})
public final class Leaks {
  public static final class OfSerialization implements Runnable, Serializable {
    private final String text = "text";

    public void run() {
      try (ObjectOutputStream out = new ObjectOutputStream(new ByteArrayOutputStream())) {
        out.writeObject(this);
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  public static final class OfBundle implements Runnable {
    public static final class Words extends ListResourceBundle {
      @Override
      protected Object[][] getContents() {
        return new Object[][] {{"word", "value"}};
      }
    }

    public void run() {
      ResourceBundle.getBundle(Words.class.getName()).getString("word");
    }
  }

  public static final class OfBean implements Runnable {
    public interface CounterMBean {
      int getCount();
    }

    public static final class Counter implements CounterMBean {
      public int getCount() {
        return 1;
      }
    }

    public void run() {
      try {
        ManagementFactory.getPlatformMBeanServer()
            .registerMBean(new Counter(), new ObjectName("guest:type=Counter"));
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  public static final class OfReflection implements Runnable {
    public void run() {
      Runnable proxy =
          (Runnable)
              Proxy.newProxyInstance(
                  OfReflection.class.getClassLoader(),
                  new Class<?>[] {Runnable.class},
                  (self, method, arguments) -> null);
      for (int i = 0; i < 40; i++) {
        proxy.run();
        OfReflection.class.getDeclaredMethods();
      }
    }
  }

  public static final class OfThreadLocal implements Runnable {
    private static final ThreadLocal<Object> VALUE = new ThreadLocal<>();

    public void run() {
      VALUE.set(new OfThreadLocal());
    }
  }

  public static final class OfTimer implements Runnable {
    public void run() {
      Executors.newSingleThreadScheduledExecutor().schedule(new OfTimer(), 1_000, TimeUnit.SECONDS);
    }
  }

  public static final class OfPool implements Runnable {
    public void run() {
      Executors.newFixedThreadPool(2).submit(() -> System.getProperty("x"));
      CompletableFuture.runAsync(() -> System.getProperty("y")).join();
    }
  }

  public static final class OfHandler implements Runnable {
    public void run() {
      Thread thread = new Thread(() -> {});
      thread.setUncaughtExceptionHandler((t, e) -> {});
      thread.start();
    }
  }

  public static final class OfClassValue implements Runnable {
    private static final ClassValue<Object> VALUES =
        new ClassValue<>() {
          @Override
          protected Object computeValue(Class<?> type) {
            return new OfClassValue();
          }
        };

    public void run() {
      VALUES.get(String.class);
      VALUES.get(OfClassValue.class);
    }
  }

  /// Leaves its class in the introspector's cache, by reflection, because the tests are compiled
  /// without its module.
  public static final class OfIntrospector implements Runnable {
    public int getCount() {
      return 1;
    }

    public void run() {
      try {
        Class.forName("java.beans.Introspector")
            .getMethod("getBeanInfo", Class.class)
            .invoke(null, OfIntrospector.class);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /// A driver of the domain's loader with a JDK `toString`, which `DriverManager` calls.
  public static final class OfDriver implements Runnable {
    public void run() {
      try {
        Class<?> type = Class.forName("java.sql.Driver");
        InvocationHandler handler =
            (InvocationHandler)
                Class.forName("java.beans.EventHandler")
                    .getConstructor(Object.class, String.class, String.class, String.class)
                    .newInstance(new OfDriver(), "run", null, null);
        Object driver =
            Proxy.newProxyInstance(
                OfDriver.class.getClassLoader(), new Class<?>[] {type, Runnable.class}, handler);
        Class.forName("java.sql.DriverManager")
            .getMethod("registerDriver", type)
            .invoke(null, driver);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /// A driver whose `toString`, which `DriverManager` calls, is code of the domain.
  public static final class OfDriverThatTells implements Runnable {
    public void run() {
      register((self, method, arguments) -> "a driver");
    }
  }

  /// A driver whose `toString` loops forever, except at its registration.
  public static final class OfDriverThatLoops implements Runnable {
    private static int told;

    public void run() {
      register((self, method, arguments) -> {
        while (told > 0) {
          Thread.onSpinWait();
        }
        told++;
        return "a driver";
      });
    }
  }

  private static void register(InvocationHandler handler) {
    try {
      Class<?> type = Class.forName("java.sql.Driver");
      Object driver =
          Proxy.newProxyInstance(Leaks.class.getClassLoader(), new Class<?>[] {type}, handler);
      Class.forName("java.sql.DriverManager")
          .getMethod("registerDriver", type)
          .invoke(null, driver);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  public static final class OfLogger implements Runnable {
    public void run() {
      try {
        Class<?> loggers = Class.forName("java.util.logging.Logger");
        Class<?> filters = Class.forName("java.util.logging.Filter");
        Object filter =
            Proxy.newProxyInstance(
                OfLogger.class.getClassLoader(),
                new Class<?>[] {filters},
                (self, method, arguments) -> true);
        Object root = loggers.getMethod("getLogger", String.class).invoke(null, "");
        loggers.getMethod("setFilter", filters).invoke(root, filter);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /// Creates levels of its own, by a class and by numbers.
  public static final class OfLevels implements Runnable {
    static final class Below extends Level {
      Below() {
        super("LEAKED", 1_000_001);
      }
    }

    public void run() {
      for (int i = 1_000_002; i < 1_000_010; i++) {
        try {
          Level.parse(Integer.toString(i));
        } catch (IllegalArgumentException e) {
          // none of these is the JDK's
        }
      }
      try {
        new Below();
      } catch (LinkageError e) {
        // not loaded
      }
    }
  }

  public static final class OfBuffers implements Runnable {
    private static final List<ByteBuffer> HELD = new ArrayList<>();

    public void run() {
      for (int i = 0; i < 32; i++) {
        HELD.add(ByteBuffer.allocateDirect(1 << 20));
      }
    }
  }
}
