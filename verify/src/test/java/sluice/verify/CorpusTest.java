package sluice.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/// Checks which methods are accepted and which are refused, with the reason and the line of each
/// refusal.
@SuppressWarnings("NullAway") // a null fails the test
final class CorpusTest {
  @Test
  void everyBoundedMethodIsAccepted() {
    List<String> refused = new ArrayList<>();
    Verification found = Corpus.verify(Corpus.nest(Accepted.class), Limits.DEFAULT);
    for (MethodVerdict verdict : found.verdicts()) {
      Refusal refusal = verdict.refusal();
      if (refusal != null
          && !verdict.method().startsWith("lambda$")
          && !verdict.method().matches("(toString|equals|hashCode|valueOf)\\(.*")) {
        refused.add(verdict.method() + ": " + refusal);
      }
    }
    assertThat(refused).isEmpty();
    assertThat(found.verdicts()).hasSizeGreaterThan(45);
  }

  @Test
  void boundsOfSimpleLoopsAreCounted() {
    Verification found = Corpus.verify(Corpus.nest(Accepted.class), new Limits(64, 1_000_000_000));
    assertThat(bound(found, "forEach").bytecodes()).isBetween(64L * 9, 65L * 14);
    assertThat(bound(found, "triangular").bytecodes()).isBetween(136L * 8, 17L * 17 * 14);
    assertThat(bound(found, "digits").bytecodes()).isLessThan(33 * 12);
    assertThat(bound(found, "forEach").bytes()).isZero();
    assertThat(bound(found, "allocates").bytes()).isBetween(48L, 24 + 32L);
  }

  private static Bound bound(Verification found, String method) {
    return found.verdicts().stream()
        .filter(v -> v.method().startsWith(method + "("))
        .findFirst()
        .orElseThrow()
        .bound();
  }

  @Test
  void everyOtherMethodIsRefusedWithItsReasonAndLine() throws IOException {
    List<String> lines = Corpus.source("RefusedCases.java");
    Verification found = Corpus.verify(Corpus.nest(RefusedCases.class), Limits.DEFAULT);
    List<String> wrong = new ArrayList<>();
    int refused = 0;
    for (MethodVerdict verdict : found.verdicts()) {
      Refusal refusal = verdict.refusal();
      if (refusal == null) {
        if (!verdict.method().matches("(<init>|overridden).*")) {
          wrong.add(verdict.method() + " was accepted: " + verdict.bound());
        }
        continue;
      }
      refused++;
      String line = refusal.line() == 0 ? "" : lines.get(refusal.line() - 1);
      boolean isNative = refusal.reason() == Reason.NATIVE;
      if (!isNative && !isExpected(lines, refusal, line)) {
        wrong.add(verdict.method() + ": " + refusal + " at: " + line.strip());
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(refused).isGreaterThan(35);
  }

  /// Returns true if the marker of the reason is on the refused line or on the line before it,
  /// where the refusal names the line of the loop's head.
  private static boolean isExpected(List<String> lines, Refusal refusal, String line) {
    String before = refusal.line() < 2 ? "" : lines.get(refusal.line() - 2);
    String marker = "// " + refusal.reason().name();
    return line.contains(marker) || before.contains(marker);
  }

  @Test
  void everyReasonHasAFixAndASectionInTheDocumentation() throws IOException {
    String page = java.nio.file.Files.readString(java.nio.file.Path.of("../docs/verify.md"));
    for (Reason reason : Reason.values()) {
      assertThat(reason.fix()).isNotBlank();
      assertThat(reason.link()).endsWith(reason.name().toLowerCase(Locale.ROOT).replace('_', '-'));
      assertThat(page).contains("### " + reason.label() + "\n");
    }
  }
}
