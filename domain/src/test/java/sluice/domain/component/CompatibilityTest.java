package sluice.domain.component;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests of the rules of chapter 13, one row per rule: the old and the new class `p.A`, and the
/// section that refuses the change, or `-` if it is compatible. `%c` stands for a public class `A`,
/// `%a` for an abstract one, `%i` for an interface, `%b` for a record that implements it.
final class CompatibilityTest {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          %c {} | public class B {} | 13.3
          %c {} | class A {} | 13.4.3
          %c {} | %i {} | 13.5
          %c {} | %a {} | 13.4.1
          %a {} | %c {} | -
          %c {} | public final class A {} | 13.4.2
          public final class A {} | %c {} | -
          %c implements Runnable { public void run() {} } | %c { public void run() {} } | 13.4.4
          %c { } | %c implements Cloneable {} | -
          %c { public int f; } | %c { } | 13.4.8
          %c { public int f; } | %c { public long f; } | 13.4.8
          %c { public int f; } | %c { protected int f; } | 13.4.7
          %c { protected int f; } | %c { private int f; } | 13.4.7
          %c { protected int f; } | %c { public int f; } | -
          %c { public int f; } | %c { public final int f = 1; } | 13.4.9
          %c { public int f; } | %c { public static int f; } | 13.4.10
          %c { int f; } | %c { } | -
          %c { private int f; } | %c { } | -
          %c { public void m() {} } | %c { } | 13.4.12
          %c { public void m(int i) {} } | %c { public void m(long i) {} } | 13.4.14
          %c { public int m() { return 1; } } | %c { public long m() { return 1; } } | 13.4.15
          %c { public void m() {} } | %c { protected void m() {} } | 13.4.7
          %a { public void m() {} } | %a { public abstract void m(); } | 13.4.16
          %a { } | %a { public abstract void m(); } | 13.4.16
          %c { public void m() {} } | %c { public final void m() {} } | 13.4.17
          %c { public void m() {} } | %c { public static void m() {} } | 13.4.19
          %c { public void m() {} } | %c { public synchronized void m() throws Exception {} } | -
          %c { public String toString() { return "" + 1; } } | %c { } | -
          %c { public A(int i) {} } | %c { public A() {} } | 13.4.12
          %c { void m() {} } | %c { } | -
          %c { } | %c { public void m() {} public int f; } | -
          %i { void m(); } | %i { } | 13.4.12
          %i { } | %i { void m(); } | -
          %i { default void m() {} } | %i { void m(); } | 13.5.6
          %i { void m(); } | %i { default void m() {} } | -
          public enum A { X, Y } | public enum A { X } | 13.4.8
          public enum A { X } | public enum A { X, Y { } } | -
          public record A(int x) {} | public record A(int x, int y) {} | portals
          public record A(int x) {} | public final class A { } | 13.4
          %i { } | public sealed interface A { %b } | 13.4.2
          public sealed interface A { %b } | %i { %b } | -
          """)
  void holdsChapter13(String before, String after, String section) throws Exception {
    Shelf shelf = new Shelf(directory);
    Component old = component(shelf.jar("before", List.of(), source(before)));
    Component fresh = component(shelf.jar("after", List.of(), source(after)));
    List<Incompatibility> found =
        Compatibility.of(ComponentGraph.of(List.of(old)), ComponentGraph.of(List.of(fresh)), "one");
    if (section.equals("-")) {
      assertThat(found).isEmpty();
    } else {
      assertThat(found).anyMatch(each -> each.section().contains(section));
      assertThat(found).allMatch(each -> each.type().startsWith("p."));
    }
  }

  private static String source(String row) {
    return "package p; "
        + row.replace("%c", "public class A")
            .replace("%a", "public abstract class A")
            .replace("%i", "public interface A")
            .replace("%b", "record B() implements A {}");
  }

  private static Component component(Path jar) {
    return Component.library("one", List.of(jar));
  }
}
