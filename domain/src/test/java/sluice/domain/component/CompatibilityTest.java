package sluice.domain.component;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// One row for each rule of chapter 13 that is looked at: what class `p.A` was and is, and the
/// section that refuses it, or `-` where the change is compatible.
final class CompatibilityTest {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          public class A {}                    | public class B {}                           | 13.3
          public class A {}                    | class A {}                                  | 13.4.3
          public class A {}                    | public interface A {}                       | 13.5
          public class A {}                    | public abstract class A {}                  | 13.4.1
          public abstract class A {}           | public class A {}                           | -
          public class A {}                    | public final class A {}                     | 13.4.2
          public final class A {}              | public class A {}                           | -
          public class A implements Runnable { public void run() {} } | public class A { public void run() {} } | 13.4.4
          public class A { }                   | public class A implements Cloneable {}      | -
          public class A { public int f; }     | public class A { }                          | 13.4.8
          public class A { public int f; }     | public class A { public long f; }           | 13.4.8
          public class A { public int f; }     | public class A { protected int f; }         | 13.4.7
          public class A { protected int f; }  | public class A { private int f; }           | 13.4.7
          public class A { protected int f; }  | public class A { public int f; }            | -
          public class A { public int f; }     | public class A { public final int f = 1; }  | 13.4.9
          public class A { public int f; }     | public class A { public static int f; }     | 13.4.10
          public class A { int f; }            | public class A { }                          | -
          public class A { private int f; }    | public class A { }                          | -
          public class A { public void m() {} }  | public class A { }                        | 13.4.12
          public class A { public void m(int i) {} } | public class A { public void m(long i) {} } | 13.4.14
          public class A { public int m() { return 1; } } | public class A { public long m() { return 1; } } | 13.4.15
          public class A { public void m() {} }  | public class A { protected void m() {} }  | 13.4.7
          public abstract class A { public void m() {} } | public abstract class A { public abstract void m(); } | 13.4.16
          public abstract class A { }          | public abstract class A { public abstract void m(); } | 13.4.16
          public class A { public void m() {} }  | public class A { public final void m() {} } | 13.4.17
          public class A { public void m() {} }  | public class A { public static void m() {} } | 13.4.19
          public class A { public void m() {} }  | public class A { public synchronized void m() throws java.io.IOException {} } | -
          public class A { public String toString() { return "" + 1; } } | public class A { } | -
          public class A { public A(int i) {} } | public class A { public A() {} }           | 13.4.12
          public class A { void m() {} }       | public class A { }                          | -
          public class A { }                   | public class A { public void m() {} public int f; } | -
          public interface A { void m(); }     | public interface A { }                      | 13.4.12
          public interface A { }               | public interface A { void m(); }            | -
          public interface A { default void m() {} } | public interface A { void m(); }      | 13.5.6
          public interface A { void m(); }     | public interface A { default void m() {} }  | -
          public enum A { X, Y }               | public enum A { X }                         | 13.4.8
          public enum A { X }                  | public enum A { X, Y { } }                  | -
          public record A(int x) {}            | public record A(int x, int y) {}            | portals
          public record A(int x) {}            | public final class A { }                    | 13.4
          public interface A { }               | public sealed interface A { record B() implements A {} } | 13.4.2
          public sealed interface A { record B() implements A {} } | public interface A { record B() implements A {} } | -
          """)
  void holdsChapter13(String before, String after, String section) throws Exception {
    Shelf shelf = new Shelf(directory);
    Component old = component(shelf.jar("before", List.of(), "package p; " + before));
    Component fresh = component(shelf.jar("after", List.of(), "package p; " + after));
    List<Incompatibility> found =
        Compatibility.of(
            ComponentGraph.of(List.of(old)), ComponentGraph.of(List.of(fresh)), "one");
    if (section.equals("-")) {
      assertThat(found).isEmpty();
    } else {
      assertThat(found).anyMatch(each -> each.section().contains(section));
      assertThat(found).allMatch(each -> each.type().startsWith("p."));
    }
  }

  private static Component component(Path jar) {
    return Component.library("one", List.of(jar));
  }
}
