package sluice.testbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LongSummaryStatistics;
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
  void sharesAreTheWholeTogether() {
    for (int count : new int[] {1, 2, 3, 7, 10, 999_983}) {
      for (long total : new long[] {0, 1, 6, 100, 1_000_000}) {
        LongSummaryStatistics shares =
            IntStream.range(0, count)
                .mapToLong(k -> new Slice(k, count).share(total))
                .summaryStatistics();
        assertThat(shares.getSum()).isEqualTo(total);
        assertThat(shares.getMax() - shares.getMin()).isLessThanOrEqualTo(1);
      }
    }
  }

  @Test
  void readsTheVariable() {
    assertThat(Slice.parse("3/7")).isEqualTo(new Slice(3, 7));
    assertThat(Slice.parse(null)).isEqualTo(new Slice(0, 20));
    assertThatThrownBy(() -> Slice.parse("7/7")).hasMessageContaining("no part 7 of 7");
    assertThatThrownBy(() -> Slice.parse("all")).hasMessageContaining("K/N");
  }
}
