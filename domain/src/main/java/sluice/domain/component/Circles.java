package sluice.domain.component;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.Function;

/// Sorts components topologically by depth-first search, so that each component follows the
/// components to which it leads. Cycles are rejected. Owned by one thread.
final class Circles {
  private final String verb;
  private final BinaryOperator<String> example;
  private final Set<String> done = new HashSet<>();
  private final LinkedHashSet<String> way = new LinkedHashSet<>();

  /// Creates a search for one relation.
  ///
  /// @param verb the relation between a component and the next one, for the error message
  /// @param example returns an example of the relation for two component names
  Circles(String verb, BinaryOperator<String> example) {
    this.verb = verb;
    this.example = example;
  }

  List<Component> check(Collection<Component> all, Function<String, Collection<String>> next)
      throws ComponentRefused {
    List<String> order = new ArrayList<>();
    for (Component each : all) {
      visit(each.name(), next, order);
    }
    List<Component> sorted = new ArrayList<>();
    for (String name : order) {
      all.stream().filter(each -> each.name().equals(name)).findFirst().ifPresent(sorted::add);
    }
    return sorted;
  }

  private void visit(String name, Function<String, Collection<String>> next, List<String> order)
      throws ComponentRefused {
    if (done.contains(name)) {
      return;
    }
    if (!way.add(name)) {
      throw circle(name);
    }
    for (String each : next.apply(name)) {
      visit(each, next, order);
    }
    way.remove(name);
    done.add(name);
    order.add(name);
  }

  private ComponentRefused circle(String name) {
    List<String> round = new ArrayList<>(way);
    round = round.subList(round.indexOf(name), round.size());
    StringBuilder text = new StringBuilder("component ").append(name);
    for (int i = 0; i < round.size(); i++) {
      String to = round.get((i + 1) % round.size());
      text.append(i == 0 ? " " : ", which ").append(verb).append(" component ").append(to);
      text.append(example.apply(round.get(i), to));
    }
    return new ComponentRefused(
        text.toString(),
        "components in a circle cannot be placed apart or replaced one by one",
        "let one use an interface of a third component, which the other implements; or make one"
            + " component of them");
  }
}
