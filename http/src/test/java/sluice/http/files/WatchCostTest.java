package sluice.http.files;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.http.files.SiteAnswer.Content;
import sluice.http.site.Site;
import sluice.http.site.SitePath;
import sluice.memory.Account;
import sluice.testbase.AllocatedBytes;

/// What a loop does for every batch or hit allocates nothing.
@Timeout(240)
class WatchCostTest {
  private static final int ROUNDS = 20_000;

  /// An interpreter or compiler may allocate a little on the side; per round it is nothing.
  private static final long SLACK_BYTES = ROUNDS;

  @TempDir Path root;
  private SiteKernelFiles files;
  private WatchTable table;

  @BeforeEach
  void open() throws IOException {
    WatchedFiles opened = WatchedFiles.open(Site.of(root), 1000, problem -> {});
    assumeTrue(opened.files() instanceof SiteKernelFiles, "needs openat2(2)");
    files = (SiteKernelFiles) opened.files();
    table = requireNonNull(opened.watches());
    assumeTrue(table.blindBecause() == null, "needs a temporary directory inotify sees: " + root);
  }

  @AfterEach
  void close() {
    table.close();
    files.close();
  }

  private static long allocatedBy(AllocatedBytes.Work work) throws Exception {
    return AllocatedBytes.settled(
        SLACK_BYTES - 1,
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            work.run();
          }
        });
  }

  @Test
  void aDrainWithoutEventsAllocatesNothing() throws Exception {
    WatchListener listener = ticket -> {};
    assertThat(allocatedBy(() -> table.drain(listener))).isLessThan(SLACK_BYTES);
  }

  @Test
  void aDrainOfEventsWithoutDependentsAllocatesNothing() throws Exception {
    FileMemory memory = new FileMemory();
    byte[] name = "nobody's".getBytes(StandardCharsets.UTF_8);
    WatchSource noisy = new NoisySource(memory, name);
    try (WatchTable many = WatchTable.alone(noisy, 100)) {
      WatchTicket ticket = many.ticket();
      assertThat(many.cover(ticket, SitePath.of("/somebody's"))).isTrue();
      WatchListener listener = fell -> {};
      assertThat(many.drain(listener)).isEqualTo(1);
      assertThat(allocatedBy(() -> many.drain(listener))).isLessThan(SLACK_BYTES);
      assertThat(ticket.fallen()).isFalse();
    }
  }

  /// Each read brings one event for an entry of the root.
  private static final class NoisySource implements WatchSource {
    private final FileMemory memory;
    private final byte[] name;
    private Sink sink = (wd, mask, entry, from, length) -> {};

    NoisySource(FileMemory memory, byte[] name) {
      this.memory = memory;
      this.name = name;
    }

    @Override
    public void deliverTo(Sink to) {
      sink = to;
    }

    @Override
    public int openRoot(Above above) {
      return 0;
    }

    @Override
    public int openDirectory(SitePath directory) {
      return memory.openDirectory(directory);
    }

    @Override
    public void closeDirectory(int fd) {
      memory.closeDirectory(fd);
    }

    @Override
    public boolean sees(int fd) {
      return memory.sees(fd);
    }

    @Override
    public int add(int fd, int mask) {
      return memory.add(fd, mask);
    }

    @Override
    public void remove(int wd) {
      memory.remove(wd);
    }

    @Override
    public int read() {
      sink.event(1, IN_CREATE, name, 0, name.length);
      return 1;
    }

    @Override
    public void close() {}
  }

  @Test
  void aComparisonAllocatesNothing() throws Exception {
    Files.writeString(root.resolve("f"), "x");
    Account memory = new Account("test", 1000);
    Site site = Site.of(root).withCompression(false, 0);
    FileFill fill =
        new FileFill(
            site, files, null, memory, path -> false, new FileReader(memory, FileClock.SYSTEM));
    FileStatus scratch = new FileStatus();
    try (Content content = (Content) fill.answer(SitePath.of("/f"))) {
      assertThat(
              allocatedBy(() -> {
                if (!content.stillCurrent(files, scratch)) {
                  throw new AssertionError("changed");
                }
              }))
          .isLessThan(SLACK_BYTES);
    }
  }
}
