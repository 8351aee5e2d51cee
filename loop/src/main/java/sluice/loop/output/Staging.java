package sluice.loop.output;

import java.util.ArrayList;
import java.util.List;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// Where replies are built during one turn: slabs of native memory filled from the front. Owned by
/// the loop's thread.
///
/// Two of them alternate. What a turn stages is submitted by the next turn, and that turn's
/// completions tell which sends fell short; only then is the memory used again.
public final class Staging {
  public static final int SLAB_BYTES = 128 << 10;

  private final Account account;
  private final int softLimitBytes;
  private final List<Block> slabs = new ArrayList<>();
  private int current;
  private int position;
  private long limitBytes;

  /// @param softLimitBytes from here on [#full] answers true; a reply under way may still grow
  public Staging(Account account, int softLimitBytes) {
    this.account = account;
    this.softLimitBytes = Math.max(1, softLimitBytes / SLAB_BYTES) * SLAB_BYTES;
    this.limitBytes = this.softLimitBytes;
    addSlab();
  }

  /// Makes room for `bytes` in one piece.
  ///
  /// @param bytes at most [#SLAB_BYTES]
  public void ensure(int bytes) {
    if (position + bytes <= SLAB_BYTES) {
      return;
    }
    current++;
    position = 0;
    if (current == slabs.size()) {
      addSlab();
    }
  }

  public Block slab() {
    return slabs.get(current);
  }

  public int position() {
    return position;
  }

  int room() {
    return SLAB_BYTES - position;
  }

  public void advance(int bytes) {
    position += bytes;
  }

  public int currentSlab() {
    return current;
  }

  /// Forgets what was staged since the place was there.
  public void rewind(int slab, int at) {
    current = slab;
    position = at;
  }

  public boolean full() {
    return usedBytes() >= limitBytes;
  }

  /// Bytes that have been staged, and gaps between them.
  public long usedBytes() {
    return (long) current * SLAB_BYTES + position;
  }

  /// Says how much of what is staged from now on could be kept.
  public void limit(long bytes) {
    limitBytes = Math.clamp(bytes, 0, softLimitBytes);
  }

  /// Whether what follows from replies, such as their ciphertext, must wait for the next turn.
  public boolean crowded() {
    return usedBytes() >= 3L * softLimitBytes;
  }

  /// Forgets everything staged; keeps one slab more than half of what was needed, so that a burst
  /// does not hold its memory for ever.
  public void reset() {
    int keep = current + 1;
    if (slabs.size() > 2 * keep) {
      slabs.removeLast().release();
    }
    current = 0;
    position = 0;
  }

  public void close() {
    slabs.forEach(Block::release);
    slabs.clear();
  }

  private void addSlab() {
    Block slab = Block.allocate(account, SLAB_BYTES);
    if (slab == null) {
      throw new IllegalStateException("staging account has no room: " + account);
    }
    slabs.add(slab);
  }
}
