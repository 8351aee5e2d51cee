package sluice.loop.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.loop.engine.Backend;
import sluice.loop.engine.EngineConfig;

/// The automatic choice tries what it chooses, and says what it passed over.
class EnginesTest {
  private static Engines.Choice without(Set<Backend> broken) {
    return Engines.chooseBest(backend -> {
      if (broken.contains(backend)) {
        throw new IOException(backend + " is broken");
      }
    });
  }

  @ParameterizedTest
  @CsvSource({"IO_URING,EPOLL", "EPOLL,POLL", "POLL,JDK"})
  void eachFallsToTheNext(Backend last, Backend next) {
    Set<Backend> broken = EnumSet.range(Backend.IO_URING, last);
    Engines.Choice choice = without(broken);
    assertThat(choice.backend()).isEqualTo(next);
    for (Backend each : broken) {
      assertThat(choice.why()).contains(each + " not used: " + each + " is broken");
    }
  }

  @Test
  void theBestNeedsNoExcuse() {
    Engines.Choice choice = without(Set.of());
    assertThat(choice.backend()).isEqualTo(Backend.IO_URING);
    assertThat(choice.why()).doesNotContain("not used");
  }

  /// As for a user whose memory for rings is used up.
  @Test
  void whatCannotBeHadOnceMoreIsReplacedByTheNext() throws IOException {
    EngineConfig config = EngineConfig.DEFAULT.withChunks(16, 1024);
    Server.EngineOpener full =
        (choice, wanted) -> {
          if (choice.backend() == Backend.IO_URING) {
            throw new IOException("no memory for one more");
          }
          return Engines.open(choice, wanted);
        };
    Engines.Choice best = new Engines.Choice(Backend.IO_URING, "available");
    Engines.Opened opened = Engines.open(Backend.AUTO, best, config, full);
    opened.engine().close();
    assertThat(opened.choice().backend()).isEqualTo(Backend.EPOLL);
    assertThat(opened.choice().why()).contains("io_uring not used: no memory for one more");
    assertThatThrownBy(() -> Engines.open(Backend.IO_URING, best, config, full))
        .hasMessage("no memory for one more");
  }

  /// A platform whose calls are not written down yet fails as a class does.
  @Test
  void whatCannotBeLoadedIsNotUsed() {
    Engines.Choice choice =
        Engines.chooseBest(backend -> {
          throw new ExceptionInInitializerError("no numbers for this processor");
        });
    assertThat(choice.backend()).isEqualTo(Backend.JDK);
    assertThat(choice.why()).contains("poll not used: no numbers for this processor");
  }
}
