package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SliceTest {
  @Test
  void partsCoverAllSeedsOnce() {
    assertThat(IntStream.range(0, 7).boxed().flatMap(k -> new Slice(k, 7).seeds(100).boxed()))
        .hasSize(100)
        .doesNotHaveDuplicates()
        .allMatch(seed -> seed >= 0 && seed < 100);
  }

  @Test
  void readsTheVariable() {
    assertThat(Slice.parse("3/7")).isEqualTo(new Slice(3, 7));
    assertThat(Slice.parse(null)).isEqualTo(new Slice(0, 10));
    assertThatThrownBy(() -> Slice.parse("7/7")).hasMessageContaining("no part 7 of 7");
    assertThatThrownBy(() -> Slice.parse("all")).hasMessageContaining("K/N");
  }
}
