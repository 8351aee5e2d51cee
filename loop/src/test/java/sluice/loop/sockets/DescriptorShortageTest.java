package sluice.loop.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.sys.Errno;

/// One warning for each episode, and no more than one a minute.
final class DescriptorShortageTest {
  private static final long SECOND = 1_000_000_000L;

  private final DescriptorShortage shortage = new DescriptorShortage();

  @Test
  void anEpisodeHasOneWarningThatNamesLimitAndFix() {
    assertThat(shortage.warning(0)).isNull();
    shortage.noted(Errno.EMFILE);
    shortage.noted(Errno.EMFILE);
    assertThat(shortage.warning(SECOND))
        .contains("RLIMIT_NOFILE")
        .contains("503")
        .contains("ulimit -n")
        .contains("LimitNOFILE=");
    for (int i = 2; i < 600; i++) {
      shortage.noted(Errno.EMFILE);
      assertThat(shortage.warning(i * SECOND)).isNull();
    }
    assertThat(shortage.count()).isEqualTo(600);
  }

  @Test
  void aLaterEpisodeHasItsOwn() {
    shortage.noted(Errno.ENFILE);
    assertThat(shortage.warning(0)).contains("fs.file-max");
    shortage.noted(Errno.ENFILE);
    assertThat(shortage.warning(61 * SECOND)).contains("fs.file-max");
  }

  @Test
  void episodesThatFollowFastWaitForTheirMinute() {
    shortage.noted(Errno.EMFILE);
    assertThat(shortage.warning(0)).isNotNull();
    shortage.noted(Errno.EMFILE);
    assertThat(shortage.warning(15 * SECOND)).isNull();
    assertThat(shortage.warning(59 * SECOND)).isNull();
    assertThat(shortage.warning(60 * SECOND)).isNotNull();
    assertThat(shortage.warning(600 * SECOND)).isNull();
  }
}
