package sluice.loop.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.sys.Errno;

class StarvedReceivesTest {
  @Test
  void thoseThatWaitLongestAreFedFirst() {
    StarvedReceives<Integer> starved = new StarvedReceives<>();
    for (int i = 0; i < 6; i++) {
      starved.add(i);
    }
    List<Integer> armed = new ArrayList<>();
    starved.feed(2, i -> i % 2 == 1, armed::add);
    assertThat(armed).containsExactly(1, 3);
    starved.feed(0, i -> true, armed::add);
    starved.feed(100, i -> true, armed::add);
    assertThat(armed).startsWith(1, 3).hasSize(6);
    assertThat(starved.isEmpty()).isTrue();
  }

  @Test
  void receiveThatStarvesAgainWaitsForTheNextFeed() {
    StarvedReceives<Integer> starved = new StarvedReceives<>();
    starved.add(1);
    starved.feed(10, i -> true, starved::add);
    assertThat(starved.isEmpty()).isFalse();
  }

  @Test
  void resultsHaveOneReading() {
    assertThat(ReceiveEnd.of(1)).isEqualTo(ReceiveEnd.NONE);
    assertThat(ReceiveEnd.of(0)).isEqualTo(ReceiveEnd.OF_STREAM);
    assertThat(ReceiveEnd.of(-Errno.ENOBUFS)).isEqualTo(ReceiveEnd.STARVED);
    for (int errno : new int[] {Errno.ECANCELED, Errno.EAGAIN, Errno.EINTR}) {
      assertThat(ReceiveEnd.of(-errno)).isEqualTo(ReceiveEnd.PASSING);
    }
    for (int errno : new int[] {Errno.ECONNRESET, Errno.ETIMEDOUT, Errno.EBADF}) {
      assertThat(ReceiveEnd.of(-errno)).isEqualTo(ReceiveEnd.FAILED);
    }
  }

  @Test
  void aPieceHasItsPlaceInTheFlags() {
    for (int chunk : new int[] {0, 1, 32_767}) {
      for (int offset : new int[] {0, 54, (1 << 20) - 1}) {
        for (boolean more : new boolean[] {false, true}) {
          long flags = Completion.withChunk(chunk, offset, more);
          assertThat(Completion.hasChunk(flags)).isTrue();
          assertThat(Completion.hasMore(flags)).isEqualTo(more);
          assertThat(Completion.chunk(flags)).isEqualTo(chunk);
          assertThat(Completion.offset(flags)).isEqualTo(offset);
        }
      }
    }
    assertThat(Completion.offset(Completion.at(-1, 7))).isEqualTo(7); // the highest chunk of all
    assertThat(Completion.chunk(Completion.at(-1, 7))).isEqualTo(0xffff);
  }
}
