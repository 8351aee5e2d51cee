package sluice.domain.component;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests of the lint, one row per case: the body of a service method and the expected report, or
/// `-`.
final class LintTest {
  private static final String API =
      """
      package p;
      public interface Api {
        Object call(java.util.List<String> list, int[] array, Box box, Point point, Api other);
      }
      """;
  private static final String BOX = "package p; public class Box { public int x; Box next; }";
  private static final String POINT = "package p; public record Point(int x) {}";

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          list.add("x"); return null;                   | MODIFIES_ARGUMENT
          list.sort(null); return null;                 | MODIFIES_ARGUMENT
          if (list.isEmpty()) { list.clear(); } return null; | MODIFIES_ARGUMENT
          array[0] = array[1] + 1; return null;         | MODIFIES_ARGUMENT
          array[0]++; return null;                      | MODIFIES_ARGUMENT
          box.x = 3; return null;                       | MODIFIES_ARGUMENT
          box.next.x = list.size(); return null;        | MODIFIES_ARGUMENT
          Box same = box; same.x = 4; return null;      | MODIFIES_ARGUMENT
          kept = list; return null;                     | KEEPS_ARGUMENT
          all.add(list); return null;                   | KEEPS_ARGUMENT
          all.add(java.util.List.copyOf(list)); return null; | -
          return kept;                                  | RETURNS_STATE
          return java.util.List.copyOf(kept);           | -
          return list.get(0) + array.length + box.x;    | -
          friend = other; return point;                 | -
          Box made = new Box(); made.x = box.x; return made; | -
          var mine = new java.util.ArrayList<String>(list); mine.add("y"); return mine; | -
          """)
  void tellsWhatDiffersTogetherAndApart(String body, String expected) throws Exception {
    String service =
        """
        package p;
        public class Service implements Api {
          private java.util.List<String> kept;
          private java.util.List<Object> all = new java.util.ArrayList<>();
          private Api friend;
          public Object call(
              java.util.List<String> list, int[] array, Box box, Point point, Api other) {
            %s
          }
          public void notOffered(java.util.List<String> list) { list.clear(); }
        }
        """
            .formatted(body);
    Path jar = new Shelf(directory).jar("one", List.of(), API, BOX, POINT, service);
    ComponentGraph graph = ComponentGraph.of(List.of(Component.library("one", List.of(jar))));
    List<Reliance> found = graph.lint("one");
    if (expected.equals("-")) {
      assertThat(found).isEmpty();
    } else {
      assertThat(found)
          .singleElement()
          .satisfies(each -> {
            assertThat(each.what()).hasToString(expected);
            assertThat(each.method()).isEqualTo("call");
            assertThat(each.line()).isPositive();
            assertThat(each.toString()).contains("p.Service.call, line ", "Fix: ");
          });
    }
  }
}
