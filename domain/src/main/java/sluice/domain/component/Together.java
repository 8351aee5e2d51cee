package sluice.domain.component;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import sluice.domain.Domain;
import sluice.domain.DomainConfig;
import sluice.domain.DomainEnded;
import sluice.domain.portal.Portals;
import sluice.sys.threads.Uninterrupted;

/// The components of one domain and the objects created for them. Used by one thread at a time.
final class Together {
  private final Domain domain;
  private final List<Component> components;
  private final List<Thread> running = new CopyOnWriteArrayList<>();
  private volatile @Nullable String problem;
  private final Map<String, Object> objects = new ConcurrentHashMap<>();

  private Together(Domain domain, List<Component> components) {
    this.domain = domain;
    this.components = components;
  }

  static Together open(DomainConfig config, String name, List<Component> components)
      throws IOException {
    List<Path> path = jars(components);
    return new Together(Domain.create(config.named(name, path)), components);
  }

  Domain domain() {
    return domain;
  }

  List<Path> jars() {
    return jars(components);
  }

  private static List<Path> jars(List<Component> components) {
    return components.stream().flatMap(component -> component.jars().stream()).toList();
  }

  List<Component> components() {
    return components;
  }

  boolean has(String component) {
    return components.stream().anyMatch(each -> each.name().equals(component));
  }

  Object object(String component) {
    Object found = objects.get(component);
    if (found == null) {
      throw new IllegalArgumentException("component " + component + " has no object");
    }
    return found;
  }

  Class<?> type(String name) {
    try {
      return Class.forName(name, false, domain.loader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(name + " was there when the components were checked", e);
    }
  }

  /// Creates the object of a component in a thread of the domain.
  void make(Component component, Portals portals, Duration limit) throws ComponentRefused {
    String what = "component " + component.name() + " in domain " + domain.name();
    FutureTask<Object> task = new FutureTask<>(() -> instance(component, portals));
    Thread thread = domain.start("make-" + component.name(), task);
    if (!Uninterrupted.await(limit, nanos -> thread.join(Duration.ofNanos(nanos)))) {
      domain.kill("a component was not made in time");
      throw new ComponentRefused(
          what,
          "the constructor of " + component.type() + " did not return within " + limit,
          "leave long work to a thread that the constructor starts");
    }
    if (task.state() == Future.State.SUCCESS) {
      objects.put(component.name(), task.resultNow());
    } else {
      throw cannot(what, component, task.exceptionNow());
    }
  }

  private Object instance(Component component, Portals portals)
      throws ReflectiveOperationException {
    Class<?> type = Class.forName(component.type(), true, domain.loader());
    Class<?>[] parameters = new Class<?>[component.needs().size()];
    Object[] arguments = new Object[parameters.length];
    for (int i = 0; i < parameters.length; i++) {
      Class<?> needed = type(component.needs().get(i));
      parameters[i] = needed;
      arguments[i] = needed(needed, portals);
    }
    Constructor<?> constructor = type.getConstructor(parameters);
    Object made = constructor.newInstance(arguments);
    Provided provides = component.provides();
    if (provides != null && !type(provides.type()).isInstance(made)) {
      throw new ClassCastException(component.type() + " does not implement " + provides.type());
    }
    return made;
  }

  /// Returns the required object itself if it was created in this domain, or a portal to it
  /// otherwise.
  private Object needed(Class<?> type, Portals portals) {
    for (Component each : components) {
      Object here = objects.get(each.name());
      Provided provides = each.provides();
      if (here != null && provides != null && type.getName().equals(provides.type())) {
        return here;
      }
    }
    return portals
        .lookup(domain, type.getName(), type)
        .orElseThrow(() -> new IllegalStateException("no service " + type.getName() + " runs"));
  }

  private static ComponentRefused cannot(String what, Component component, Throwable cause) {
    return switch (cause) {
      case NoSuchMethodException e ->
          new ComponentRefused(
              what,
              component.type() + " has no public constructor with parameters " + component.needs(),
              "write one, or correct needs",
              e);
      case InvocationTargetException e ->
          new ComponentRefused(
              what,
              "the constructor of " + component.type() + " threw " + e.getCause(),
              "see the line it names",
              e);
      case ClassNotFoundException e ->
          new ComponentRefused(
              what,
              "it has no class " + e.getMessage(),
              "correct class, or build the jar again",
              e);
      case DomainEnded e ->
          new ComponentRefused(
              what, e.getMessage() + "", "see why it ended, and start it again", e);
      default -> new ComponentRefused(what, cause + "", "see what it names", cause);
    };
  }

  /// Starts the objects that are runnable and do not provide a service.
  void run() {
    for (Component component : components) {
      if (component.provides() == null
          && objects.get(component.name()) instanceof Runnable runnable) {
        // If there are carriers, a virtual thread is used because it can hand its calls over to
        // other domains.
        Thread thread = domain.serviceThread(component.name(), () -> run(component, runnable));
        thread.start();
        running.add(thread);
      }
    }
  }

  private void run(Component component, Runnable runnable) {
    try {
      runnable.run();
    } catch (RuntimeException | Error e) {
      if (domain.alive()) {
        problem = "component " + component.name() + " threw " + Domain.textOf(e);
      }
      throw e;
    }
  }

  /// Returns true if a started component is still running.
  boolean isRunning() {
    return running.stream().anyMatch(Thread::isAlive);
  }

  /// Returns the problem of the domain or of a started component, or null if there is none.
  @Nullable String problem() {
    return domain.alive() ? problem : "domain " + domain.name() + ": " + domain.endReason();
  }

  /// Maps each service object of this domain to the corresponding object of another one.
  IdentityHashMap<Object, Object> successors(Together other) {
    IdentityHashMap<Object, Object> found = new IdentityHashMap<>();
    for (Component component : components) {
      Object object = objects.get(component.name());
      if (object != null && component.provides() != null) {
        found.put(object, other.object(component.name()));
      }
    }
    return found;
  }

  void close(String why) {
    domain.kill(why);
  }
}
