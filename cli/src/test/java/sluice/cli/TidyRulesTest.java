package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import sluice.cli.SourceTree.SourceFile;

/// Proves that each rule can fail, with text that breaks it.
final class TidyRulesTest {
  @Test
  void size() {
    assertThat(TidyRules.size(java("x".repeat(100)))).isEmpty();
    assertThat(TidyRules.size(java("x".repeat(101))))
        .containsExactly(at(":1: 101 columns, at most 100"));
    assertThat(TidyRules.size(java("/// | " + "x".repeat(100) + " |"))).isEmpty();
    assertThat(TidyRules.size(java("/// " + "x".repeat(100)))).hasSize(1);
    assertThat(TidyRules.size(java("x\n".repeat(700)))).isEmpty();
    assertThat(TidyRules.size(java("x\n".repeat(701))))
        .containsExactly(at(": 701 lines, at most 700"));
  }

  @Test
  void words() {
    assertThat(TidyRules.words(java("// todos are fine\n// TO" + "DO later"))).hasSize(1);
    assertThat(TidyRules.words(java("https://repo.mav" + "en.example/x"))).hasSize(1);
    assertThat(TidyRules.words(java("cd /wo" + "rk/main"))).hasSize(1);
    assertThat(TidyRules.words(java("/tm" + "p/w/x"))).hasSize(1);
    assertThat(TidyRules.words(java("@Disa" + "bled void a();"))).hasSize(1);
    assertThat(TidyRules.words(java("@Disa" + "bled(\"needs root\") void a();"))).isEmpty();
    assertThat(TidyRules.words(java("/framework/network/x"))).isEmpty();
  }

  @Test
  void downcalls() {
    String call = "MemorySegment m = a.reinterpret(8);\nLinker l;";
    assertThat(TidyRules.downcalls(java(call))).hasSize(2);
    assertThat(TidyRules.downcalls(new SourceFile("sys/src/main/java/A.java", call))).isEmpty();
    assertThat(TidyRules.downcalls(java("/// [Linker]\n/* Linker */ \"Linker\""))).isEmpty();
  }

  @Test
  void moduleInfo() {
    String info = "@NullMarked module m { requires transitive sluice.http; requires sluice.sys; }";
    assertThat(TidyRules.moduleInfo(module("loop", info)))
        .containsExactly("loop/src/main/java/module-info.java: may not require sluice.http");
    assertThat(TidyRules.moduleInfo(module("cli", info))).isEmpty();
    assertThat(TidyRules.moduleInfo(module("new", "@NullMarked")))
        .singleElement()
        .asString()
        .contains("no place");
    assertThat(TidyRules.moduleInfo(module("sys", "module m {}")))
        .singleElement()
        .asString()
        .contains("not @NullMarked");
  }

  @Test
  void theOrderOfModulesHasNoCycle() {
    assertNoCycle(TidyRules.IMPORTS);
  }

  /// Asserts that all modules can be placed one after another, each after the modules it imports,
  /// which is only possible if there is no cycle.
  private static void assertNoCycle(Map<String, Set<String>> order) {
    Set<String> placed = new HashSet<>();
    Set<String> rest = new HashSet<>(order.keySet());
    while (rest.removeIf(each -> placed.containsAll(order.get(each)) && placed.add(each))) {
      // next, the modules above the placed ones
    }
    assertThat(rest).as("on a cycle, or above one").isEmpty();
  }

  @Test
  void links() {
    SourceFile file =
        new SourceFile(
            "docs/a.md", "[x](b.md#part) [y](c.md) [z](#here) [w](https://x/y) `[a](b)`");
    assertThat(TidyRules.links(file, Set.of("docs/b.md")::contains))
        .containsExactly("docs/a.md: link leads nowhere: c.md");
  }

  @Test
  void dependencies() {
    SourceFile pom =
        new SourceFile("pom.xml", "<artifactId>a</artifactId><artifactId>sluice-x</artifactId>");
    assertThat(TidyRules.dependencies(pom, "`b`")).hasSize(1);
    assertThat(TidyRules.dependencies(pom, "`a`: why")).isEmpty();
  }

  @Test
  void methods() throws IOException {
    String longMethod = "class A { void a() {" + "\n".repeat(70) + "} }";
    assertThat(JavaRules.check(java(longMethod))).singleElement().asString().contains("71 lines");
    String wide = "class A { void a(int a, int b, int c, int d, int e, int f, int g) {} }";
    assertThat(JavaRules.check(java(wide))).singleElement().asString().contains("7 parameters");
    String record = "record A(int a, int b, int c, int d, int e, int f, int g) {}";
    assertThat(JavaRules.check(java(record))).isEmpty();
    assertThat(JavaRules.check(java("class A { int getSize() { return 1; } }"))).hasSize(1);
    assertThat(JavaRules.check(java("class A { @Override int getSize() { return 1; } }")))
        .isEmpty();
  }

  @Test
  void documentation() throws IOException {
    assertThat(JavaRules.check(java("\npublic class A {}"))).hasSize(1);
    assertThat(JavaRules.check(java("/// A.\n@Deprecated\npublic class A {}"))).isEmpty();
    assertThat(JavaRules.check(java("/// A.\npublic class A {\n\n public record B() {} }")))
        .singleElement()
        .asString()
        .contains("public type B");
  }

  @Test
  void exceptionsOnlyShrink() {
    List<String> broken = List.of("a.java:1: x", "a.java:2: y", "b.java:3: z");
    assertThat(TidyTest.withoutExceptions(broken, Map.of("a.java", 2, "b.java", 1))).isEmpty();
    assertThat(TidyTest.withoutExceptions(broken, Map.of("a.java", 1))).hasSize(3);
    assertThat(TidyTest.withoutExceptions(broken, Map.of("a.java", 3, "b.java", 1)))
        .containsExactly("tidy-exceptions.txt: a.java breaks 2 rules: lower its 3");
  }

  private static SourceFile java(String text) {
    return new SourceFile("loop/src/main/java/sluice/loop/A.java", text);
  }

  private static String at(String rest) {
    return "loop/src/main/java/sluice/loop/A.java" + rest;
  }

  private static SourceFile module(String module, String text) {
    return new SourceFile(module + "/src/main/java/module-info.java", text);
  }
}
