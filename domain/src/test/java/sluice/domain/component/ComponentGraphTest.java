package sluice.domain.component;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ComponentGraphTest {
  @TempDir Path directory;
  private Shelf shelf;

  @BeforeEach
  void open() {
    shelf = new Shelf(directory);
  }

  private static Component library(String name, Path jar, String... depends) {
    return Component.library(name, List.of(jar), depends);
  }

  @Test
  void sortsByUseAndNeed() throws Exception {
    ComponentGraph graph = ComponentGraph.of(shelf.shop());
    List<String> order = graph.order().stream().map(Component::name).toList();
    assertThat(order).containsExactlyInAnyOrder("shop-api", "till-api", "prices", "till");
    assertThat(order.indexOf("till")).isGreaterThan(order.indexOf("prices"));
    assertThat(order.indexOf("prices")).isGreaterThan(order.indexOf("shop-api"));
    assertThat(graph.closure(graph.component("till")).stream().map(Component::name))
        .containsExactly("shop-api", "till-api", "till");
  }

  @Test
  void tellsDependenceOfTheInterfaceFromThatOfTheCode() throws Exception {
    Path api = shelf.jar("api", List.of(), "package a; public class A { public int x; }");
    Path inside =
        shelf.jar(
            "inside",
            List.of(api),
            "package b; public class B { public int b() { return new a.A().x; } }");
    Path outside =
        shelf.jar("outside", List.of(api), "package c; public class C { protected a.A a; }");
    Path hidden = shelf.jar("hidden", List.of(api), "package d; class D { private a.A a; }");
    ComponentGraph graph =
        ComponentGraph.of(
            List.of(
                library("api", api),
                library("inside", inside, "api"),
                library("outside", outside, "api"),
                library("hidden", hidden, "api")));
    assertThat(graph.dependences("inside"))
        .containsExactly(new Dependence("api", true, false, 1, "b.B uses a.A"));
    assertThat(graph.dependences("outside"))
        .containsExactly(new Dependence("api", true, true, 1, "c.C uses a.A"));
    assertThat(graph.dependences("hidden").getFirst().isInInterface()).isFalse();
    assertThat(graph.sizes("inside").own()).isOne();
    assertThat(graph.sizes("inside").inInterface()).isOne();
    assertThat(graph.sizes("inside").inAll()).isEqualTo(2);
    assertThat(graph.sizes("outside").inInterface()).isEqualTo(2);
  }

  /// Checks the closure of the JDK. The paper counts 25 classes of JDK 1.3.1 from
  /// `java.lang.Object`; later versions have more.
  @Test
  void countsWhatTheInterfaceOfTheJdkBrings() throws Exception {
    Path one = shelf.jar("one", List.of(), "package a; public class A {}");
    ComponentGraph graph = ComponentGraph.of(List.of(library("one", one)));
    ClosureSizes sizes = graph.sizes("one");
    assertThat(sizes.jdkInAll()).isEqualTo(1); // java.lang.Object
    assertThat(sizes.jdkInInterface()).isGreaterThan(25);
  }

  @Test
  void aCircleIsRefusedWithBothUses() throws Exception {
    String first = "package a; public class A { public static int f() { return 1; } }";
    Path only = shelf.jar("only", List.of(), first);
    String second = "package b; public class B { public static int g() { return a.A.f(); } }";
    Path b = shelf.jar("b", List.of(only), second);
    Path a =
        shelf.jar(
            "a",
            List.of(b),
            "package a; public class A { public static int f() { return b.B.g(); } }");
    assertThatThrownBy(
            () -> ComponentGraph.of(List.of(library("one", a, "two"), library("two", b, "one"))))
        .isInstanceOf(ComponentRefused.class)
        .hasMessageContainingAll(
            "component one uses classes of component two (a.A uses b.B)",
            "which uses classes of component one (b.B uses a.A)",
            "Fix: ");
  }

  @Test
  void whatIsNotDeclaredIsRefused() throws Exception {
    Path a = shelf.jar("a", List.of(), "package a; public class A {}");
    Path b = shelf.jar("b", List.of(a), "package b; public class B extends a.A {}");
    assertThatThrownBy(() -> ComponentGraph.of(List.of(library("a", a), library("b", b))))
        .isInstanceOf(ComponentRefused.class)
        .hasMessageContainingAll("component b", "b.B uses a.A", "depends = [\"a\"]");
    assertThatThrownBy(() -> ComponentGraph.of(List.of(library("b", b, "a"))))
        .hasMessageContaining("there is no such component");
    assertThatThrownBy(() -> ComponentGraph.of(List.of(library("a", a), library("c", a))))
        .hasMessageContaining("is in component a too");
  }

  @Test
  void aNeedHasOneProviderAndAnInterfaceThatIsSeen() throws Exception {
    List<Component> shop = shelf.shop();
    List<Component> without = new ArrayList<>(shop);
    without.removeIf(each -> each.name().equals("prices"));
    assertThatThrownBy(() -> ComponentGraph.of(without))
        .isInstanceOf(ComponentRefused.class)
        .hasMessageContaining("no component provides shop.Prices");
    List<Component> blind = new ArrayList<>(without);
    blind.add(
        new Component(
            "stray",
            List.of(shelf.jar("stray", List.of(), "package s; public class S {}")),
            List.of(),
            List.of(),
            Provided.of("shop.Prices"),
            "s.S"));
    assertThatThrownBy(() -> ComponentGraph.of(blind))
        .hasMessageContaining("neither its class nor one of what it depends on");
  }
}
