package sluice.domain.component;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.domain.Domain;
import sluice.domain.JarCopies;
import sluice.domain.Scheduling;
import sluice.domain.portal.CallPath;
import sluice.domain.portal.Party;
import sluice.domain.portal.Portals;
import sluice.sys.threads.Uninterrupted;

/// Runs components in domains. A component that requires a service receives the provider's object
/// itself if both are in the same domain, and a portal otherwise. Any thread may call. Only one
/// domain can be replaced at a time. The new objects are created without holding the lock, so that
/// a slow constructor does not delay queries or [#close].
///
/// ```
///  replace:  copy jars ─► check ─► new domain, objects made ─► portals and names lead to it
///                │refused: all stays                                        │
///                ▼                                     old one: open calls end, then it is killed
/// ```
///
/// A replacement replaces a domain with all of its components, because they may hold references to
/// each other's objects. The new objects start without the state of the old ones. Portals to other
/// objects of the old domain end with that domain.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | replacing, making, closed | the thread that replaces or closes | under the lock | under the lock |
/// | graph, `Placed.now` | the thread that replaces | volatile | under the lock |
/// | generation | the thread that replaces | by that thread | by that thread |
public final class ComponentHost implements AutoCloseable {
  private final Duration limit;
  private final Portals portals = new Portals(CallPath.SERVICE);
  private final JarCopies copies;
  private final Map<String, Placed> domains = new LinkedHashMap<>();

  /// The components with their configured jars. The files may have changed since.
  private final List<Component> configured;

  /// The components with copies of their jars, as loaded by the domains.
  private volatile ComponentGraph graph;

  private int generation;

  /// The domain that is being replaced, or null if there is none.
  private @Nullable String replacing;

  /// The successor of the domain being replaced, while its objects are created.
  private @Nullable Together making;

  private boolean closed;

  /// A running domain and the placement of its components.
  private static final class Placed {
    final Placement placement;
    volatile Together now;

    Placed(Placement placement, Together now) {
      this.placement = placement;
      this.now = now;
    }
  }

  private ComponentHost(ComponentGraph graph, Duration limit) throws IOException {
    this.graph = graph;
    this.limit = limit;
    configured = graph.order();
    copies = JarCopies.create("sluice-components");
  }

  /// Creates the domains and the objects of all components in dependency order, and starts the
  /// components that can be run.
  ///
  /// @param limit the maximum time for the creation of one object, and for the calls in progress
  ///   when a domain is replaced
  /// @throws ComponentRefused if a component is in no domain or in two, or if its object cannot be
  ///   created
  /// @throws IOException if a jar cannot be read
  public static ComponentHost start(
      ComponentGraph graph, Collection<Placement> placements, Duration limit)
      throws IOException, ComponentRefused {
    ComponentHost host = new ComponentHost(graph, limit);
    try {
      host.place(placements);
      return host;
    } catch (IOException | ComponentRefused | RuntimeException e) {
      host.close();
      throw e;
    }
  }

  private synchronized void place(Collection<Placement> placements)
      throws IOException, ComponentRefused {
    List<Component> all = new ArrayList<>();
    for (Component each : configured) {
      all.add(copy(each));
    }
    graph = ComponentGraph.of(all);
    Map<String, Placement> where = new HashMap<>();
    for (Placement placement : placements) {
      for (String name : placement.components()) {
        if (!graph.has(name)) {
          throw new ComponentRefused(
              "domain " + placement.config().name(),
              "there is no component " + name,
              "add [component." + name + "]");
        }
        Placement before = where.put(name, placement);
        if (before != null) {
          throw new ComponentRefused(
              "component " + name,
              "it is in the domains "
                  + before.config().name()
                  + " and "
                  + placement.config().name(),
              "leave it in one");
        }
      }
      String domain = placement.config().name();
      domains.put(domain, new Placed(placement, open(graph, placement, domain)));
    }
    for (Component component : graph.order()) {
      if (component.type() == null) {
        continue;
      }
      Placement placement = where.get(component.name());
      if (placement == null) {
        throw new ComponentRefused(
            "component " + component.name(),
            "it is in no domain",
            "name it in components of a [domain.NAME]");
      }
      Together together = placed(placement.config().name()).now;
      together.make(component, portals, limit);
      offer(together, component);
    }
    for (Placed each : domains.values()) {
      each.now.run();
    }
  }

  private Component copy(Component component) throws IOException {
    List<Path> jars = new ArrayList<>();
    for (Path jar : component.jars()) {
      jars.add(copies.copy(jar));
    }
    return component.withJars(jars);
  }

  private void offer(Together together, Component component) throws IOException, ComponentRefused {
    Provided provides = component.provides();
    if (provides == null) {
      return;
    }
    Class<?> type = together.type(provides.type());
    Object object = together.object(component.name());
    if (provides.path() == CallPath.FAST) {
      FastServices.require(component, together.jars(), object.getClass(), type);
    }
    portals.register(
        together.domain(), provides.type(), type, object, provides.path(), provides.calls());
  }

  /// @throws ComponentRefused if a component requires a different scheduling than its domain has
  private static void requireScheduling(Placement placement, Component component)
      throws ComponentRefused {
    Scheduling.Kind has = placement.config().scheduling().kind();
    Scheduling.Kind needed = component.scheduling();
    if (needed != null && needed != has) {
      throw new ComponentRefused(
          "component " + component.name() + " in domain " + placement.config().name(),
          "it needs " + needed.label() + " scheduling, and the domain's is " + has.label(),
          "scheduling = \""
              + needed.label()
              + "\" in the table of the domain, or place it in another");
    }
    Provided provides = component.provides();
    boolean isByCallers = provides != null && provides.path() != CallPath.SERVICE;
    if (has == Scheduling.Kind.COOPERATIVE && isByCallers) {
      throw new ComponentRefused(
          "component " + component.name() + " in domain " + placement.config().name(),
          "its service runs in its callers' threads, and in a cooperative domain one thread runs"
              + " at a time",
          "path = \"service\", or scheduling = \"preemptive\"");
    }
  }

  private static Together open(ComponentGraph graph, Placement placement, String name)
      throws IOException, ComponentRefused {
    List<Component> all = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (String component : placement.components()) {
      for (Component each : graph.closure(graph.component(component))) {
        if (seen.add(each.name())) {
          requireScheduling(placement, each);
          all.add(each);
        }
      }
    }
    return Together.open(placement.config(), name, all);
  }

  private Placed placed(String domain) {
    Placed found = domains.get(domain);
    if (found == null) {
      throw new IllegalArgumentException("no domain " + domain);
    }
    return found;
  }

  /// Returns the domain that is currently running under the given name.
  ///
  /// @throws IllegalArgumentException if there is no domain with that name
  public synchronized Domain domain(String name) {
    return placed(name).now.domain();
  }

  /// Returns the object of a component, for tests.
  synchronized Object objectOf(String domain, String component) {
    return placed(domain).now.object(component);
  }

  /// Returns the names of the domains.
  public synchronized List<String> domains() {
    return List.copyOf(domains.keySet());
  }

  /// Returns a service for a party that is not a component.
  ///
  /// @param type the caller's version of the interface; the classes in its methods are matched by
  ///   name
  /// @throws IllegalArgumentException if no component provides the service
  public <T> T service(Party caller, Class<T> type) {
    return portals
        .lookup(caller, type.getName(), type)
        .orElseThrow(() -> new IllegalArgumentException("no component provides " + type.getName()));
  }

  /// Returns true if any started component is still running.
  public synchronized boolean isRunning() {
    return domains.values().stream().anyMatch(each -> each.now.isRunning());
  }

  /// Returns the exception thrown by a started component, or the reason why a domain has ended, or
  /// null if there is neither.
  public synchronized @Nullable String problem() {
    for (Placed each : domains.values()) {
      String problem = each.now.problem();
      if (problem != null) {
        return problem;
      }
    }
    return null;
  }

  /// Replaces a domain, while it is in use, with a new domain that has the current jars of its
  /// components. No call fails. Portals are redirected to the new objects, and calls in progress
  /// complete in the old ones.
  ///
  /// @return false if some calls did not complete within the limit; they end with the old domain
  /// @throws ComponentRefused if the components no longer fit together, if the classes of a
  ///   component are not compatible with the old ones, if an object cannot be created, if a domain
  ///   is being replaced, or if this host has been closed; nothing is changed in these cases
  /// @throws IOException if a jar cannot be read
  public boolean replace(String domain) throws IOException, ComponentRefused {
    Placed placed = begin(domain);
    try {
      List<Component> components = new ArrayList<>(configured);
      components.removeIf(each -> !placed.now.has(each.name()));
      return replace(placed, domain, components);
    } finally {
      finish();
    }
  }

  /// Replaces a domain as [#replace(String)] does, using different jars for some components.
  ///
  /// @param changed the changed components, each named like a component of the domain
  public boolean replace(String domain, Collection<Component> changed)
      throws IOException, ComponentRefused {
    Placed placed = begin(domain);
    try {
      return replace(placed, domain, changed);
    } finally {
      finish();
    }
  }

  private synchronized Placed begin(String domain) throws ComponentRefused {
    Placed placed = placed(domain);
    if (replacing != null) {
      throw new ComponentRefused(
          "domain " + domain,
          "domain " + replacing + " is being replaced",
          "replace one domain after the other");
    }
    checkOpen(domain);
    for (Component each : placed.now.components()) {
      if (each.provides() != null && each.provides().path() != CallPath.SERVICE) {
        throw new ComponentRefused(
            "domain " + domain,
            "callers run "
                + each.provides().type()
                + " themselves, so that its calls cannot be waited for",
            "path = \"service\" for component " + each.name() + ", or restart");
      }
    }
    replacing = domain;
    return placed;
  }

  private void checkOpen(String domain) throws ComponentRefused {
    if (closed) {
      throw new ComponentRefused(
          "domain " + domain, "its components were closed", "start them again");
    }
  }

  private synchronized void finish() {
    replacing = null;
    making = null;
    notifyAll();
  }

  private boolean replace(Placed placed, String domain, Collection<Component> changed)
      throws IOException, ComponentRefused {
    List<Component> fresh = new ArrayList<>();
    for (Component each : changed) {
      fresh.add(copy(each));
    }
    ComponentGraph next = graph.with(fresh);
    Together before = placed.now;
    Together made = open(next, placed.placement, domain + "." + ++generation);
    Portals.Replaced replaced;
    try {
      note(domain, made);
      for (Component component : next.order()) {
        if (component.type() != null && placed.placement.components().contains(component.name())) {
          made.make(component, portals, limit);
        }
      }
      replaced = swap(placed, domain, made, next);
    } catch (ComponentRefused | RuntimeException e) {
      made.close("it was not needed");
      throw e;
    }
    try {
      return Uninterrupted.await(limit, replaced::awaitIdle);
    } finally {
      before.close("it was replaced");
      retain();
    }
  }

  private synchronized void note(String domain, Together made) throws ComponentRefused {
    checkOpen(domain);
    making = made;
  }

  private synchronized Portals.Replaced swap(
      Placed placed, String domain, Together made, ComponentGraph next) throws ComponentRefused {
    checkOpen(domain);
    Together before = placed.now;
    Portals.Replaced replaced =
        portals.replace(before.domain(), made.domain(), before.successors(made));
    placed.now = made;
    graph = next;
    made.run();
    return replaced;
  }

  private void retain() throws IOException {
    Set<Path> wanted = new HashSet<>();
    graph.order().forEach(component -> wanted.addAll(component.jars()));
    for (Placed each : domains.values()) {
      each.now.components().forEach(component -> wanted.addAll(component.jars()));
    }
    copies.retain(wanted);
  }

  /// Terminates all domains, including a domain that is being created, and waits for a replacement
  /// in progress to end.
  @Override
  public void close() throws IOException {
    boolean wasInterrupted = false;
    synchronized (this) {
      closed = true;
      if (making != null) {
        making.close("it was closed");
      }
      for (Placed each : List.copyOf(domains.values()).reversed()) {
        each.now.close("it was closed");
      }
      while (replacing != null) {
        try {
          wait();
        } catch (InterruptedException e) {
          wasInterrupted = true;
        }
      }
    }
    copies.close();
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
