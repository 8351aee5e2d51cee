package sluice.fs.cache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.fs.Blocks;

/// Tests the operations that a thread may still perform on a frame that it found before the frame
/// was reused.
final class FrameTest {
  private static final int BLOCK = 1024;

  private final BlockTable table = new BlockTable(2);
  private @Nullable FrameSupply supply;

  @BeforeEach
  void open() {
    supply = new FrameSupply(Blocks.of(2 * BLOCK), table, BLOCK, 2);
  }

  @AfterEach
  void close() {
    requireNonNull(supply).close();
  }

  private Frame take() {
    return requireNonNull(requireNonNull(supply).tryTake(Frame.NONE));
  }

  @Test
  void aFrameThatIsMappedNowhereIsClaimedByItsTakerOnly() {
    Frame frame = take();
    assertThat(frame.claim()).isFalse();
    assertThat(frame.claimOwn()).isTrue();
    table.put(7, frame);
    assertThat(frame.claim()).isFalse();
    frame.endClaim();
    assertThat(frame.leases()).isEqualTo(1);
    assertThat(frame.claimOwn()).isFalse();
    assertThat(frame.claim()).isTrue();
    table.remove(frame);
    frame.endClaim();
    assertThat(frame.claim()).isFalse();
    frame.release();
  }

  /// Checks that a replaced frame cannot be claimed, because a commit may end its lease at any
  /// moment.
  @Test
  void aFrameThatWasReplacedBelongsToItsLeases() {
    Frame frame = take();
    boolean ofTheCommit = frame.lend();
    assertThat(ofTheCommit).isTrue();
    table.put(7, frame); // as a loader does, which holds a lease too
    assertThat(frame.claim()).isFalse();
    table.remove(frame);
    frame.release(); // the cache's lease
    assertThat(frame.leases()).isEqualTo(1);
    assertThat(frame.claim()).as("by the thread that found it before").isFalse();
    assertThat(frame.lend()).as("for a moment, until its number is looked at").isTrue();
    assertThat(frame.shows(7)).isFalse();
    frame.release();
    frame.release();
    assertThat(frame.leases()).isZero();
    assertThat(frame.lend()).isFalse();
  }
}
