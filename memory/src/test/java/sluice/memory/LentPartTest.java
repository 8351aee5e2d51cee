package sluice.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.memory.block.Block;

/// Tests parts that can be revoked alone. Revoking a part does not affect the whole, and a part
/// ends with the whole.
@Timeout(120)
final class LentPartTest {
  private static final int BYTES = 64;

  private final Account account = new Account("test", 1 << 20);
  private final Block block = requireNonNull(Block.allocate(account, BYTES));

  /// Returns each kind of memory of which parts can be lent.
  private List<Function<Block, Memory>> kinds() {
    return List.of(
        of -> Memory.over(of, 0, BYTES),
        of -> Memory.lend(of, 0, BYTES),
        of -> requireNonNull(Memory.copyOnWrite(of, 0, BYTES, account)));
  }

  private void allGivenBack() {
    block.release();
    long end = System.nanoTime() + 60_000_000_000L;
    while (account.usedBytes() != 0 && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(account.usedBytes()).as("bytes that are not given back").isZero();
  }

  @Test
  void aLentPartEndsAlone() {
    for (Function<Block, Memory> kind : kinds()) {
      Memory whole = kind.apply(block);
      Memory part = whole.lendPart(4, 32);
      Memory ofPart = part.slice(0, 16);
      ofPart.setLong(3, 42);
      assertThat(whole.getLong(7)).isEqualTo(42);
      assertThatThrownBy(ofPart::revokeNow).isInstanceOf(UnsupportedOperationException.class);
      part.close();
      part.close();
      assertThat(ofPart.isLive()).isFalse();
      assertThatThrownBy(() -> ofPart.get(0)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(part::revoke).isInstanceOf(IllegalStateException.class);
      assertThat(whole.getLong(7)).as("the whole is as it was").isEqualTo(42);
      whole.close();
    }
    allGivenBack();
  }

  @Test
  void aLentPartEndsWithItsWhole() {
    for (boolean now : new boolean[] {true, false}) {
      for (Function<Block, Memory> kind : kinds()) {
        Memory whole = kind.apply(block);
        Memory part = whole.lendPart(4, 32);
        Memory partOfPart = part.lendPart(4, 8);
        Memory fresh = null;
        if (now) {
          fresh = whole.revokeNow();
        } else {
          whole.close();
        }
        for (Memory each : List.of(part, partOfPart)) {
          assertThat(each.isLive()).isFalse();
          assertThatThrownBy(() -> each.get(0)).isInstanceOf(IllegalStateException.class);
        }
        assertThatThrownBy(() -> whole.lendPart(0, 1)).isInstanceOf(IllegalStateException.class);
        if (fresh != null) {
          fresh.setLong(4, 7);
          fresh.close();
        }
      }
    }
    allGivenBack();
  }

  @Test
  void aLentPartOfScatteredMemoryEndsItsPieces() {
    Memory first = Memory.over(block, 0, 10);
    Memory second = Memory.over(block, 10, 20);
    Memory part = Memory.scattered(List.of(first, second)).lendPart(5, 10);
    part.setLong(1, 99);
    assertThat(part.getLong(1)).isEqualTo(99);
    part.revoke();
    assertThatThrownBy(() -> part.getLong(1)).isInstanceOf(IllegalStateException.class);
    assertThat(first.isLive() && second.isLive()).isTrue();
    first.close();
    second.close();
    allGivenBack();
  }

  @Test
  void rightsAndBoundsAreThoseOfTheWhole() {
    Memory whole = Memory.over(block, 0, BYTES);
    Memory readOnly = whole.asReadOnly().lendPart(0, BYTES);
    assertThat(readOnly.isReadOnly()).isTrue();
    assertThat(readOnly.revokeNow().isReadOnly()).isTrue();
    Memory slice = whole.slice(8, 8);
    for (long offset : new long[] {-1, 1, 8, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> slice.lendPart(offset, 8))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    whole.setLong(8, 5);
    Memory lent = slice.lendPart(0, 8);
    assertThat(lent.getLong(0)).isEqualTo(5);
    lent.close();
    Memory given = Memory.give(block, 0, BYTES);
    Memory ofGiven = given.lendPart(8, 8);
    assertThat(ofGiven.getLong(0)).isEqualTo(5);
    ofGiven.close();
    assertThat(given.isLive()).isTrue();
    whole.close();
    block.release();
  }

  /// Checks that a part lent while its whole ends is refused, or ends with it.
  @Test
  void noPartOutlivesItsWhole() throws Exception {
    for (int round = 0; round < 300; round++) {
      Memory whole = round % 2 == 0 ? Memory.over(block, 0, BYTES) : Memory.lend(block, 0, BYTES);
      Memory[] last = new Memory[1];
      Thread lender =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  while (true) {
                    Memory part = whole.lendPart(0, 8);
                    if (last[0] != null) {
                      last[0].close();
                    }
                    last[0] = part;
                  }
                } catch (IllegalStateException e) {
                  // the whole has ended
                }
              });
      whole.close();
      lender.join();
      assertThat(last[0] != null && last[0].isLive()).as("round %d", round).isFalse();
    }
    allGivenBack();
  }
}
