package sluice.domain.guest;

import java.lang.management.ManagementFactory;
import java.lang.ref.Cleaner;
import java.nio.charset.Charset;
import java.util.ResourceBundle;
import java.util.concurrent.Callable;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.DynamicMBean;
import javax.management.MBeanInfo;
import javax.management.MBeanRegistration;
import javax.management.MBeanServer;
import javax.management.MBeanServerDelegate;
import javax.management.NotificationFilter;
import javax.management.NotificationListener;
import javax.management.ObjectName;

/// Programs like those of [HoldUps] that use JVM-wide objects: groups, monitors, beans, drivers,
/// loggers, cleaners. Loaded only in domains.
@SuppressWarnings({"all", "unused", "unchecked", "overrides", "removal"})
public final class HoldUpsOfTheJdk extends HoldUps {
  public static final class LongName implements Runnable {
    public void run() {
      Thread thread = new Thread(HoldUps::sleep, "\n\u001b[2J\0".repeat(200_000));
      thread.start();
      set();
      sleep();
    }
  }

  public static final class OwnGroup implements Runnable {
    static final class Own extends ThreadGroup {
      Own() {
        super("own");
      }

      @Override
      public void uncaughtException(Thread thread, Throwable problem) {
        set();
        loop();
      }

      @Override
      public int activeCount() {
        loop();
        return 0;
      }

      @Override
      public int enumerate(Thread[] list) {
        loop();
        return 0;
      }

      @Override
      public String toString() {
        loop();
        return "";
      }
    }

    public void run() {
      set();
      new Thread(
              new Own(),
              () -> {
                throw new IllegalStateException();
              })
          .start();
      sleep();
    }
  }

  /// Sleeps while it holds monitors of other parties.
  static void holding(Object monitor) {
    synchronized (monitor) {
      set();
      sleep();
    }
  }

  public static final class MonitorOfTheGroup implements Runnable {
    public void run() {
      holding(Thread.currentThread().getThreadGroup());
    }
  }

  public static final class MonitorOfTheThread implements Runnable {
    public void run() {
      holding(Thread.currentThread());
    }
  }

  public static final class MonitorOfTheLoader implements Runnable {
    public void run() {
      holding(HoldUpsOfTheJdk.class.getClassLoader());
    }
  }

  public static final class MonitorOfTheRuntime implements Runnable {
    public void run() {
      holding(Runtime.getRuntime());
    }
  }

  public static final class MonitorOfBundles implements Runnable {
    public void run() {
      holding(ResourceBundle.class);
    }
  }

  public static final class MonitorOfDrivers implements Runnable {
    public void run() {
      try {
        holding(Class.forName("java.sql.DriverManager"));
      } catch (ClassNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  public static final class MonitorOfLoggers implements Runnable {
    public void run() {
      holding(LogManager.getLogManager());
    }
  }

  public static final class MonitorOfCharsets implements Runnable {
    public void run() {
      holding(Charset.class);
    }
  }

  /// Blocks the bean that the warden asks for the use of threads.
  public static final class MonitorOfTheBeanOfThreads implements Runnable {
    public void run() {
      holding(ManagementFactory.getThreadMXBean());
    }
  }

  /// Turns the clocks off by reflection, because a call is refused.
  public static final class TurnsOffTheClocksOfThreads implements Runnable {
    public void run() {
      try {
        Object bean = ManagementFactory.getThreadMXBean();
        Class<?> type = Class.forName("com.sun.management.ThreadMXBean");
        type.getMethod("setThreadCpuTimeEnabled", boolean.class).invoke(bean, false);
        type.getMethod("setThreadAllocatedMemoryEnabled", boolean.class).invoke(bean, false);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
      set();
      sleep();
    }
  }

  public static final class HandlerThatLoops implements Runnable {
    public void run() {
      Thread thread =
          new Thread(() -> {
            throw new IllegalStateException();
          });
      thread.setUncaughtExceptionHandler((by, problem) -> {
        set();
        loop();
      });
      thread.start();
      sleep();
    }
  }

  /// A value that a call leaves in the host's thread, which would pass it to each thread that it
  /// creates.
  public static final class InheritableValue implements Callable<Object> {
    static final InheritableThreadLocal<Object> VALUE =
        new InheritableThreadLocal<>() {
          @Override
          protected Object childValue(Object parent) {
            loop();
            return parent;
          }
        };

    public Object call() {
      VALUE.set("of the guest");
      set();
      return "";
    }
  }

  static void register(Object bean) {
    try {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      String name = "guest:type=t" + System.identityHashCode(bean) + "-" + System.nanoTime();
      server.registerMBean(bean, new ObjectName(name));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  public interface PlainMBean {
    int getCount();
  }

  static class Plain implements PlainMBean, MBeanRegistration {
    private final Runnable leaving;

    Plain(Runnable leaving) {
      this.leaving = leaving;
    }

    public int getCount() {
      return 1;
    }

    public ObjectName preRegister(MBeanServer server, ObjectName name) {
      return name;
    }

    public void postRegister(Boolean done) {}

    public void preDeregister() {
      leaving.run();
    }

    public void postDeregister() {
      leaving.run();
    }
  }

  /// A harmless bean that is unregistered at the end, which notifies its listeners.
  public static final class PoliteBean implements Runnable {
    public void run() {
      register(new Plain(() -> {}));
      set();
      sleep();
    }
  }

  public static final class BeanThatLoops implements Runnable {
    public void run() {
      register(new Plain(HoldUps::loop));
      set();
      sleep();
    }
  }

  public static final class BeanThatWaits implements Runnable {
    public void run() {
      register(new Plain(HoldUps::waitThere));
      set();
      sleep();
    }
  }

  public static final class BeanOfItsOwnDescription implements Runnable {
    static final class Own implements DynamicMBean {
      private static void trap() {
        if (SET.getCount() == 0) {
          waitThere();
        }
      }

      public Object getAttribute(String name) {
        return null;
      }

      public void setAttribute(Attribute attribute) {}

      public AttributeList getAttributes(String[] names) {
        return new AttributeList();
      }

      public AttributeList setAttributes(AttributeList list) {
        return list;
      }

      public Object invoke(String name, Object[] arguments, String[] types) {
        return null;
      }

      public MBeanInfo getMBeanInfo() {
        trap();
        return new MBeanInfo(Own.class.getName(), "", null, null, null, null);
      }

      public int hashCode() {
        trap();
        return 1;
      }

      public boolean equals(Object other) {
        trap();
        return false;
      }
    }

    public void run() {
      register(new Own());
      set();
      sleep();
    }
  }

  static void listen(NotificationListener listener, NotificationFilter filter) {
    try {
      ManagementFactory.getPlatformMBeanServer()
          .addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, listener, filter, null);
      set();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  public static final class ListenerThatLoops implements Runnable {
    public void run() {
      listen((notification, back) -> loop(), null);
      sleep();
    }
  }

  public static final class ListenerThatSleeps implements Runnable {
    public void run() {
      listen((notification, back) -> HoldUps.sleep(), null);
      sleep();
    }
  }

  public static final class FilterOfAListenerThatLoops implements Runnable {
    public void run() {
      listen(
          (notification, back) -> sink++,
          notification -> {
            loop();
            return false;
          });
      sleep();
    }
  }

  /// Calls the driver manager by reflection, because the module of this test does not read that of
  /// drivers.
  static void drive(Runnable text, Runnable end) {
    try {
      Class<?> driver = Class.forName("java.sql.Driver");
      Class<?> action = Class.forName("java.sql.DriverAction");
      Class.forName("java.sql.DriverManager")
          .getMethod("registerDriver", driver, action)
          .invoke(null, proxy(driver, text, () -> {}), proxy(action, () -> {}, end));
      set();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  static Object proxy(Class<?> type, Runnable text, Runnable end) {
    return java.lang.reflect.Proxy.newProxyInstance(
        HoldUpsOfTheJdk.class.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> {
          switch (method.getName()) {
            case "toString" -> {
              if (SET.getCount() == 0) {
                text.run();
              }
              return "";
            }
            case "deregister" -> end.run();
            case "equals" -> {
              return proxy == arguments[0];
            }
            case "hashCode" -> {
              return 1;
            }
            default -> {}
          }
          return null;
        });
  }

  public static final class DriverWhoseTextWaits implements Runnable {
    public void run() {
      drive(HoldUps::waitThere, () -> {});
      sleep();
    }
  }

  public static final class DriverWhoseEndLoops implements Runnable {
    public void run() {
      drive(() -> {}, HoldUps::loop);
      sleep();
    }
  }

  public static final class DriverWhoseEndSleeps implements Runnable {
    public void run() {
      drive(() -> {}, HoldUps::sleep);
      sleep();
    }
  }

  /// A handler on a logger of the host, which reflection finds.
  public static final class HandlerThatIsNotEqual implements Runnable {
    static final class Own extends Handler {
      public void publish(LogRecord record) {}

      public void flush() {}

      public void close() {}

      @Override
      public boolean equals(Object other) {
        if (SET.getCount() == 0) {
          waitThere();
        }
        return this == other;
      }
    }

    public void run() {
      try {
        Object logger =
            LogManager.class
                .getMethod("getLogger", String.class)
                .invoke(LogManager.getLogManager(), "");
        Logger.class.getMethod("addHandler", Handler.class).invoke(logger, new Own());
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
      set();
      sleep();
    }
  }

  public static final class ClassValueThatLoops implements Runnable {
    static final ClassValue<Object> VALUE =
        new ClassValue<>() {
          @Override
          protected Object computeValue(Class<?> type) {
            set();
            loop();
            return "";
          }
        };

    public void run() {
      VALUE.get(String.class);
    }
  }

  public static final class CleanerThatLoops implements Runnable {
    public void run() {
      Cleaner.create()
          .register(
              new Object(),
              () -> {
                set();
                loop();
              });
      while (SET.getCount() > 0) {
        System.gc();
      }
      sleep();
    }
  }

  public static final class FinalizerThatLoops implements Runnable {
    static final class Own {
      @Override
      protected void finalize() {
        set();
        loop();
      }
    }

    public void run() {
      new Own();
      while (SET.getCount() > 0) {
        System.gc();
      }
      sleep();
    }
  }

  public static final class PropertiesThatLoop implements Runnable {
    static final class Key {
      @Override
      public int hashCode() {
        if (SET.getCount() == 0) {
          loop();
        }
        return 1;
      }

      @Override
      public String toString() {
        loop();
        return "";
      }
    }

    public void run() {
      System.getProperties().put(new Key(), new Key());
      set();
      synchronized (System.getProperties()) {
        sleep();
      }
    }
  }

  public static final class MonitorOfItsStreams implements Runnable {
    public void run() {
      synchronized (System.out) {
        holding(System.err);
      }
    }
  }
}
