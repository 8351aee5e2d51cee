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

/// What the JDK would keep of a domain for ever, and how it is taken out: bundles, beans, class
/// values, loggers, drivers of databases. Any thread may note; [Closers] remove.
///
/// Drivers are reached by reflection, where their module is there: this module does not require it.
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

  /// A class value keeps something for a class: its own JVM-wide map holds it as long as the class.
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

  /// Has taken out what is there; what cannot be is left. Each step may come to code of this
  /// domain, or of another: that of a listener, of a filter, of a handler's `equals`.
  ///
  /// @param gates closed
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

  /// The JDK asks code of the domain before it lets something go, a driver for its text and a bean
  /// whether it may be: the gates are open for this thread until the errand is late.
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

  /// The server of beans that the domain has got, of which the JDK keeps some part.
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
          // It is gone already.
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
      // It is gone already, or its own code or that of a listener refused: then it stays.
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
        logger.removeHandler(new Same(handler));
      }
    }
    if (isOf(loader, logger.getFilter())) {
      logger.setFilter(null);
    }
  }

  /// Equals one handler, whose own `equals` may be code of the domain. A list of handlers asks the
  /// object that it is to remove.
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
