package sluice.domain;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.ResourceBundle;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.management.InstanceNotFoundException;
import javax.management.JMRuntimeException;
import javax.management.MBeanRegistrationException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.Death;

/// Removes references to an ended domain that the JDK would otherwise keep forever: resource
/// bundles, beans, class values, log handlers and database drivers. Any thread may record
/// references. They are removed by [Closers].
///
/// Drivers are accessed by reflection if their module is present, so this module does not require
/// it.
final class DomainTraces {
  private static final int FIRST_LOOK = 64;

  private record Computed(WeakReference<ClassValue<?>> value, WeakReference<Class<?>> type) {
    boolean isGone() {
      return value.get() == null || type.get() == null;
    }
  }

  private List<Computed> computed = new ArrayList<>();
  private int look = FIRST_LOOK;
  private @Nullable MBeanServer own;

  /// Records that a class value computes a value for a class. The class keeps this value in a
  /// JVM-wide map as long as the class is loaded.
  synchronized void computing(ClassValue<?> value, Class<?> type) {
    if (computed.size() >= look) {
      computed.removeIf(Computed::isGone);
      look = Math.max(FIRST_LOOK, 2 * computed.size());
    }
    computed.add(new Computed(new WeakReference<>(value), new WeakReference<>(type)));
  }

  /// Adds an errand to the closers of the domain.
  @FunctionalInterface
  interface Errands {
    void add(Closers.Kind kind, Object subject, Closers.Step step);
  }

  /// Queues the errands that remove the references. Some references cannot be removed and remain.
  /// Each step may run code of this domain or of another one, such as a listener, a filter, or the
  /// `equals` method of a handler.
  ///
  /// @param gates the gates of the domain, which are closed
  void remove(DomainLoader loader, GateSwitch gates, Errands errands) {
    errands.add(
        Closers.Kind.BUNDLES,
        Closers.Kind.BUNDLES,
        () -> {
          ResourceBundle.clearCache(loader);
          SerialCaches.dropCleared();
        });
    errands.add(Closers.Kind.VALUES, Closers.Kind.VALUES, this::removeValues);
    errands.add(Closers.Kind.LOGGERS, Closers.Kind.LOGGERS, () -> removeHandlers(loader));
    if (loader.usesDrivers()) {
      errands.add(
          Closers.Kind.DRIVERS,
          Closers.Kind.DRIVERS,
          () -> visiting(gates, loader::deregisterDrivers));
    }
    errands.add(
        Closers.Kind.BEANS,
        Closers.Kind.BEANS,
        () -> visiting(gates, () -> unregisterBeans(loader)));
  }

  /// Runs a step while the gates are open for this thread, until the errand is late. The JDK calls
  /// code of the domain before it removes an object. For example, it asks a driver for its text and
  /// a bean for permission.
  private static void visiting(GateSwitch gates, Closers.Step step) throws Exception {
    gates.admit(Thread.currentThread());
    try {
      step.run();
    } finally {
      gates.admit(null);
    }
  }

  private void removeValues() {
    List<Computed> last;
    synchronized (this) {
      last = computed;
      computed = new ArrayList<>();
    }
    for (Computed each : last) {
      ClassValue<?> value = each.value.get();
      Class<?> type = each.type.get();
      if (value != null && type != null) {
        value.remove(type);
      }
    }
  }

  /// Records the bean server of the domain, to which the JDK keeps references.
  synchronized void made(MBeanServer server) {
    own = server;
  }

  private synchronized @Nullable MBeanServer own() {
    return own;
  }

  private void unregisterBeans(DomainLoader loader) {
    MBeanServer mine = own();
    if (mine != null) {
      for (ObjectName bean : mine.queryNames(null, null)) {
        unregister(mine, bean);
      }
    }
    for (MBeanServer server : MBeanServerFactory.findMBeanServer(null)) {
      for (ObjectName bean : server.queryNames(null, null)) {
        try {
          if (server.getClassLoaderFor(bean) == loader) {
            unregister(server, bean);
          }
        } catch (InstanceNotFoundException e) {
          // It has been unregistered in the meantime.
        }
      }
    }
  }

  private static void unregister(MBeanServer server, ObjectName bean) {
    try {
      server.unregisterMBean(bean);
    } catch (InstanceNotFoundException
        | MBeanRegistrationException
        | JMRuntimeException
        | Death e) {
      // The bean no longer exists, or its own code or a listener refused the removal, so it
      // remains.
    }
  }

  /// Removes handlers and filters of the domain's classes from the JVM's loggers. A domain has its
  /// own loggers, but it can find the JVM's by reflection.
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
        logger.removeHandler(new Same(handler));
      }
    }
    if (isOf(loader, logger.getFilter())) {
      logger.setFilter(null);
    }
  }

  /// Matches one handler by identity, because the handler's own `equals` method may be code of the
  /// domain. A list of handlers calls the `equals` method of the object to be removed.
  private static final class Same extends Handler {
    private final Handler other;

    Same(Handler other) {
      this.other = other;
    }

    @Override
    public boolean equals(@Nullable Object object) {
      return object == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(other);
    }

    @Override
    public void publish(LogRecord record) {}

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private static boolean isOf(DomainLoader loader, @Nullable Object object) {
    return object != null && object.getClass().getClassLoader() == loader;
  }
}
