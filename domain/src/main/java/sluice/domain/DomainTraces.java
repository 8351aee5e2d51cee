package sluice.domain;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.ResourceBundle;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import javax.management.InstanceNotFoundException;
import javax.management.JMRuntimeException;
import javax.management.MBeanRegistrationException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/// What the JDK would keep of a domain for ever, and how it is taken out: bundles, beans, class
/// values, loggers, drivers of databases. Any thread may note; the thread that ends the domain
/// removes.
///
/// Drivers are reached by reflection, where their module is there: this module does not require it.
final class DomainTraces {
  private static final int FIRST_LOOK = 64;
  private static final long VISIT_MILLIS = 100;

  private record Computed(WeakReference<ClassValue<?>> value, WeakReference<Class<?>> type) {
    boolean isGone() {
      return value.get() == null || type.get() == null;
    }
  }

  private List<Computed> computed = new ArrayList<>();
  private int look = FIRST_LOOK;

  /// A class value keeps something for a class: its own JVM-wide map holds it as long as the class.
  synchronized void computing(ClassValue<?> value, Class<?> type) {
    if (computed.size() >= look) {
      computed.removeIf(Computed::isGone);
      look = Math.max(FIRST_LOOK, 2 * computed.size());
    }
    computed.add(new Computed(new WeakReference<>(value), new WeakReference<>(type)));
  }

  /// Takes out what is there; what cannot be is left.
  ///
  /// @param gates closed
  void remove(DomainLoader loader, GateSwitch gates) {
    ResourceBundle.clearCache(loader);
    SerialCaches.dropCleared();
    unregisterBeans(loader);
    List<Computed> last;
    synchronized (this) {
      last = computed;
      computed = new ArrayList<>();
    }
    for (Computed each : last) {
      ClassValue<?> value = each.value.get();
      Class<?> type = each.type.get();
      if (value != null && type != null) {
        attempt(() -> value.remove(type));
      }
    }
    attempt(() -> removeHandlers(loader));
    if (loader.usesDrivers()) {
      deregisterDrivers(loader, gates);
    }
  }

  /// `DriverManager` calls `toString` of the driver, which may be code of the domain: in a thread
  /// of its own, whose gates are open for 100 ms.
  private static void deregisterDrivers(DomainLoader loader, GateSwitch gates) {
    Thread visitor =
        Thread.ofPlatform()
            .daemon()
            .name("sluice-drivers")
            .unstarted(() -> attempt(loader::deregisterDrivers));
    gates.admit(visitor);
    visitor.start();
    boolean interrupted = false;
    try {
      visitor.join(VISIT_MILLIS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    gates.admit(null);
    if (visitor.isAlive()) {
      visitor.interrupt();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @FunctionalInterface
  private interface Step {
    void run() throws ReflectiveOperationException;
  }

  private static void attempt(Step step) {
    try {
      step.run();
    } catch (ReflectiveOperationException | RuntimeException | Error e) {
      // The module is not there, or code of the domain came to a gate: then it stays.
    }
  }

  private static void unregisterBeans(DomainLoader loader) {
    for (MBeanServer server : MBeanServerFactory.findMBeanServer(null)) {
      for (ObjectName bean : server.queryNames(null, null)) {
        try {
          if (server.getClassLoaderFor(bean) == loader) {
            server.unregisterMBean(bean);
          }
        } catch (InstanceNotFoundException | MBeanRegistrationException | JMRuntimeException e) {
          // It is gone already, or its own code refused: then it stays.
        }
      }
    }
  }

  /// Handlers and filters of the domain's classes, on loggers of the JVM: the domain gets its own,
  /// but reflection finds those.
  private static void removeHandlers(DomainLoader loader) {
    LogManager manager = LogManager.getLogManager();
    for (String name : Collections.list(manager.getLoggerNames())) {
      Logger logger = manager.getLogger(name);
      if (logger != null) {
        clean(loader, logger);
      }
    }
  }

  private static void clean(DomainLoader loader, Logger logger) {
    for (Handler handler : logger.getHandlers()) {
      if (isOf(loader, handler)) {
        logger.removeHandler(handler);
      }
    }
    if (isOf(loader, logger.getFilter())) {
      logger.setFilter(null);
    }
  }

  private static boolean isOf(DomainLoader loader, @Nullable Object object) {
    return object != null && object.getClass().getClassLoader() == loader;
  }
}
