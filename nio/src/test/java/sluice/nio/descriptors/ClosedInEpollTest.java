package sluice.nio.descriptors;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.EventFd;
import sluice.sys.PollFds;
import sluice.testbase.Await;

/// A closed channel is in no epoll set. A thread that waits in one could otherwise have the last
/// reference to a socket, and keep it open for as long as it waits.
@Timeout(120)
class ClosedInEpollTest {
  @Test
  void aDescriptorThatAVirtualThreadWaitedForIsInNoSet() throws Exception {
    for (int events : List.of(PollFds.POLLIN, PollFds.POLLPRI | PollFds.POLLOUT)) {
      EventFd file = EventFd.open(true);
      // full, so that it is not ready for output; its own descriptor keeps the file open
      file.signal();
      ChannelCore core = new ChannelCore(sluice.sys.Files.duplicate(file.fd()));
      waitAndWake(core, events);
      core.close(true, new Object());
      assertThat(setsWith(core.fd())).isEmpty();
      file.close();
    }
  }

  private static void waitAndWake(ChannelCore core, int events) throws Exception {
    boolean reads = (events & PollFds.POLLOUT) == 0;
    ChannelCore.Direction direction = reads ? core.reads : core.writes;
    Thread waiting =
        Thread.ofVirtual()
            .start(() -> {
              try {
                core.enterBlocking();
                direction.await(events, -1);
                core.leaveBlocking();
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    Await.until("an epoll set", () -> !setsWith(core.fd()).isEmpty());
    direction.wake();
    Await.end(waiting);
  }

  /// Epoll sets of this process that have a descriptor.
  private static List<Path> setsWith(int fd) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fdinfo"))) {
      return all.filter(each -> has(each, fd)).toList();
    }
  }

  private static boolean has(Path info, int fd) {
    try (Stream<String> lines = Files.lines(info)) {
      return lines.anyMatch(line -> line.matches("tfd: +" + fd + " .*"));
    } catch (IOException | java.io.UncheckedIOException closed) {
      return false;
    }
  }
}
