package sluice.loop.output;

import java.util.ArrayList;
import java.util.List;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// The memory in which replies are built during one turn. It consists of slabs of native memory
/// that are filled from the front. Owned by the loop's thread.
///
/// Two staging areas alternate. The bytes staged by a turn are submitted by the next turn, whose
/// completions report the partial sends. The memory is not reused before that.
public final class Staging {
  public static final int SLAB_BYTES = 128 << 10;

  private final Account account;
  private final int softLimitBytes;
  private final List<Block> slabs = new ArrayList<>();
  private int current;
  private int position;
  private long limitBytes;

  /// @param softLimitBytes the size at which [#full] returns true; a reply in progress may still
  ///   grow beyond it
  public Staging(Account account, int softLimitBytes) {
    this.account = account;
    this.softLimitBytes = Math.max(1, softLimitBytes / SLAB_BYTES) * SLAB_BYTES;
    this.limitBytes = this.softLimitBytes;
    addSlab();
  }

  /// Allocates contiguous space for `bytes`.
  ///
  /// @param bytes the number of bytes, at most [#SLAB_BYTES]
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

  /// Drops all bytes staged after a position.
  public void rewind(int slab, int at) {
    current = slab;
    position = at;
  }

  public boolean full() {
    return usedBytes() >= limitBytes;
  }

  /// Returns the number of staged bytes, including gaps between them.
  public long usedBytes() {
    return (long) current * SLAB_BYTES + position;
  }

  /// Limits the bytes staged from now on to the number of bytes that could be kept.
  public void limit(long bytes) {
    limitBytes = Math.clamp(bytes, 0, softLimitBytes);
  }

  /// Returns true if secondary output, such as the ciphertext of replies, must wait for the next
  /// turn.
  public boolean crowded() {
    return usedBytes() >= 3L * softLimitBytes;
  }

  /// Drops all staged bytes. One slab is released if there are more than twice as many as were
  /// needed, so that memory allocated for a burst is not held forever.
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
