package sluice.domain.component;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A set of components that fit together. Immutable; any thread may call.
///
/// A graph is only created if all checks succeed. All names must be known. No class may be in two
/// components. A component must declare each component whose classes it uses. Neither uses nor
/// requirements may form a cycle. Each required service must have exactly one provider, and its
/// interface must be visible to the requiring component.
public final class ComponentGraph {
  private final Map<String, ComponentClasses> components = new LinkedHashMap<>();
  private final Map<String, String> owners = new HashMap<>();
  private final Map<String, Map<String, Dependence>> dependences = new LinkedHashMap<>();
  private final Map<String, Component> providers = new HashMap<>();
  private final List<Component> order;

  private ComponentGraph(Collection<Component> all) throws IOException, ComponentRefused {
    for (Component component : all) {
      if (components.put(component.name(), ComponentClasses.of(component)) != null) {
        throw refused(component, "the name is taken", "rename one of both");
      }
    }
    own();
    for (Component component : all) {
      dependences.put(component.name(), dependencesOf(component));
    }
    new Circles("uses classes of", this::examples).check(all, this::uses);
    requireDeclared();
    for (Component component : all) {
      provide(component);
    }
    for (Component component : all) {
      requireNeeds(component);
    }
    order =
        new Circles("needs a service of", (_, _) -> "").check(all, this::usesAndProvidersOfNeeds);
  }

  /// Reads the jars and checks that the components fit together.
  ///
  /// @throws ComponentRefused if the components do not fit together; the message states the reason
  /// @throws IOException if a jar cannot be read
  public static ComponentGraph of(Collection<Component> components)
      throws IOException, ComponentRefused {
    return new ComponentGraph(components);
  }

  private static ComponentRefused refused(Component component, String why, String fix) {
    return new ComponentRefused("component " + component.name(), why, fix);
  }

  private void own() throws ComponentRefused {
    for (ComponentClasses classes : components.values()) {
      for (ClassFacts facts : classes.all()) {
        String before = owners.put(facts.name(), classes.component().name());
        if (before != null) {
          throw refused(
              classes.component(),
              "its class " + dotted(facts.name()) + " is in component " + before + " too",
              "leave it in one, and let the other depend on that");
        }
      }
    }
  }

  private Map<String, Dependence> dependencesOf(Component component) throws ComponentRefused {
    Map<String, Set<String>> used = new TreeMap<>();
    Set<String> inInterface = new LinkedHashSet<>();
    Map<String, String> examples = new HashMap<>();
    for (ClassFacts facts : classes(component).all()) {
      for (String name : facts.inAll()) {
        String owner = owners.get(name);
        if (owner == null || owner.equals(component.name())) {
          continue;
        }
        used.computeIfAbsent(owner, _ -> new LinkedHashSet<>()).add(name);
        examples.putIfAbsent(owner, dotted(facts.name()) + " uses " + dotted(name));
        if (facts.inInterface().contains(name)) {
          inInterface.add(owner);
        }
      }
    }
    Map<String, Dependence> found = new LinkedHashMap<>();
    for (String declared : component.depends()) {
      if (!components.containsKey(declared)) {
        throw refused(
            component,
            "it depends on " + declared + ", and there is no such component",
            "add [component." + declared + "], or take it out of depends");
      }
    }
    used.forEach((owner, names) -> {
      boolean isDeclared = component.depends().contains(owner);
      String example = examples.getOrDefault(owner, "");
      found.put(
          owner,
          new Dependence(owner, isDeclared, inInterface.contains(owner), names.size(), example));
    });
    for (String declared : component.depends()) {
      found.putIfAbsent(declared, new Dependence(declared, true, false, 0, ""));
    }
    return found;
  }

  private void requireDeclared() throws ComponentRefused {
    for (ComponentClasses classes : components.values()) {
      Component component = classes.component();
      Set<String> closure = new LinkedHashSet<>();
      closure(component).forEach(each -> closure.add(each.name()));
      for (Dependence dependence : dependences(component.name())) {
        if (!closure.contains(dependence.on())) {
          throw refused(
              component,
              dependence.example() + " of component " + dependence.on() + ", not declared",
              "write depends = [\"" + dependence.on() + "\"]");
        }
      }
    }
  }

  private void provide(Component component) throws ComponentRefused {
    if (component.provides() == null) {
      return;
    }
    String provided = component.provides().type();
    requireVisible(component, provided, "provides");
    Component before = providers.put(provided, component);
    if (before != null) {
      throw refused(
          component,
          "component " + before.name() + " provides " + provided + " too",
          "leave one of both out");
    }
  }

  private void requireNeeds(Component component) throws ComponentRefused {
    for (String needed : component.needs()) {
      requireVisible(component, needed, "needs");
      if (!providers.containsKey(needed)) {
        throw refused(
            component, "no component provides " + needed, "add one with provides = " + needed);
      }
    }
  }

  private void requireVisible(Component component, String type, String verb)
      throws ComponentRefused {
    String internal = type.replace('.', '/');
    for (Component each : closure(component)) {
      if (classes(each).get(internal) != null) {
        return;
      }
    }
    throw refused(
        component,
        "it " + verb + " " + type + ", which is neither its class nor one of what it depends on",
        "put the interface into a component of its own, on which both sides depend");
  }

  private String examples(String from, String to) {
    Dependence found = dependences.getOrDefault(from, Map.of()).get(to);
    return found == null || found.example().isEmpty() ? "" : " (" + found.example() + ")";
  }

  private Collection<String> uses(String component) {
    return dependences.getOrDefault(component, Map.of()).keySet();
  }

  private Collection<String> usesAndProvidersOfNeeds(String name) {
    Set<String> all = new LinkedHashSet<>(uses(name));
    for (String needed : component(name).needs()) {
      all.add(provider(needed).name());
    }
    return all;
  }

  private ComponentClasses classes(Component component) {
    return classes(component.name());
  }

  ComponentClasses classes(String component) {
    ComponentClasses found = components.get(component);
    if (found == null) {
      throw new IllegalArgumentException("no component " + component);
    }
    return found;
  }

  /// Returns all components in an order in which each follows the components that it uses or
  /// requires.
  public List<Component> order() {
    return List.copyOf(order);
  }

  /// Returns the component with the given name.
  ///
  /// @throws IllegalArgumentException if there is no component with that name
  public Component component(String name) {
    return classes(name).component();
  }

  /// Returns the component that provides the given service.
  ///
  /// @throws IllegalArgumentException if no component provides the service
  public Component provider(String type) {
    Component found = providers.get(type);
    if (found == null) {
      throw new IllegalArgumentException("no component provides " + type);
    }
    return found;
  }

  /// Returns true if a component with the given name exists.
  public boolean has(String name) {
    return components.containsKey(name);
  }

  /// Returns a component and all components on which it depends, in dependency order.
  public List<Component> closure(Component component) {
    Map<String, Component> found = new LinkedHashMap<>();
    collect(component, found);
    return List.copyOf(found.values());
  }

  private void collect(Component component, Map<String, Component> found) {
    if (found.containsKey(component.name())) {
      return;
    }
    for (String each : component.depends()) {
      collect(component(each), found);
    }
    found.put(component.name(), component);
  }

  /// Returns the components whose classes are used by the given component, or declared to be used.
  public List<Dependence> dependences(String component) {
    return List.copyOf(dependences.getOrDefault(component, Map.of()).values());
  }

  /// Returns the numbers of classes on which a component depends.
  public ClosureSizes sizes(String component) {
    return new Closures(this::find).of(classes(component));
  }

  /// Returns the locations at which the behavior of a component depends on its arguments being
  /// references, as with callers in the same domain, or copies, as with callers in other domains.
  public List<Reliance> lint(String component) {
    return new Lint(this).of(classes(component));
  }

  private @Nullable ClassFacts find(String internalName) {
    String owner = owners.get(internalName);
    return owner == null ? null : classes(owner).get(internalName);
  }

  /// Returns a graph in which some components have been replaced by versions with other jars.
  ///
  /// @param changed the changed components, each named like an existing component
  /// @throws ComponentRefused if the components do not fit together, or if the new classes of a
  ///   component are not compatible with the old ones
  /// @throws IOException if a jar cannot be read
  public ComponentGraph with(Collection<Component> changed) throws IOException, ComponentRefused {
    Map<String, Component> next = new LinkedHashMap<>();
    components.values().forEach(each -> next.put(each.component().name(), each.component()));
    changed.forEach(each -> next.put(each.name(), each));
    ComponentGraph graph = new ComponentGraph(next.values());
    for (Component each : changed) {
      requireReplaces(each, graph);
    }
    return graph;
  }

  private void requireReplaces(Component changed, ComponentGraph graph) throws ComponentRefused {
    Component before = component(changed.name());
    List<Incompatibility> found = Compatibility.of(this, graph, changed.name());
    if (!found.isEmpty()) {
      List<String> lines = new ArrayList<>();
      found.forEach(each -> lines.add(each.toString()));
      throw refused(
          changed,
          "its classes cannot take the place of those there are: " + String.join("; ", lines),
          "keep what was there and add the new beside it, or restart with both sides changed");
    }
    boolean isSameService = java.util.Objects.equals(before.provides(), changed.provides());
    if (!isSameService) {
      throw refused(
          changed,
          "it would provide " + changed.provides() + " instead of " + before.provides(),
          "restart");
    }
  }

  /// Returns the class with the given name, or null if no component contains it.
  @Nullable ClassFacts classNamed(String internalName) {
    return find(internalName);
  }

  static String dotted(String internalName) {
    return internalName.replace('/', '.');
  }
}
