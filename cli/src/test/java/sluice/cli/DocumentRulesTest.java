package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.cli.SourceTree.SourceFile;

/// Checks that the rules for documents find violations.
final class DocumentRulesTest {
  @Test
  void aLongCellIsFound() {
    String longest = "x".repeat(DocumentRules.CELL);
    assertThat(page("| a | " + longest + " |\n" + longest + "y")).isEmpty();
    assertThat(page("| a | " + longest + "y |\n")).singleElement().asString().contains("201");
    assertThat(page("| a \\| " + longest + " |\n")).hasSize(1);
  }

  private static List<String> page(String text) {
    return DocumentRules.cells(new SourceFile("docs/design/a.md", text));
  }

  @Test
  void aStandInIsFound() {
    String text = "A client that waits, `whoever`.\nNobody waits [for](it.md#who).\nThe whole.\n";
    assertThat(DocumentRules.words(new SourceFile("docs/a.md", text)))
        .containsExactly("docs/a.md:2: stand-in word: Nobody");
    assertThat(DocumentRules.words(new SourceFile("STYLE.md", text))).isEmpty();
  }

  @Test
  void aResultIsCitedAndDrawn() {
    List<String> good = List.of("a.jsonl", "a.svg", "sweep.svg");
    assertThat(DocumentRules.results(good, "see a.jsonl and sweep.svg")).isEmpty();
    assertThat(DocumentRules.results(good, "see a.svg"))
        .containsExactly("a.jsonl is cited by no document", "sweep.svg is cited by no document");
    assertThat(DocumentRules.results(List.of("a.jsonl"), "a.jsonl"))
        .singleElement()
        .asString()
        .contains("a.jsonl has no plot");
  }
}
