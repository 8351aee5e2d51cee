package sluice.fs.ext2;

import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.fs.Blocks;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Journal;
import sluice.fs.block.Transaction;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// A simple buffer cache and journal that share no code with the product: blocks in an unbounded
/// map, and each transaction is written to the device when it is closed. Used by one thread at a
/// time.
final class ReferenceCache implements BufferCache, Journal {
  private final BlockDevice device;
  private final int blockBytes;
  private final Map<Long, Block> blocks = new HashMap<>();
  private @Nullable Change open;
  private int depth;
  private boolean closed;

  ReferenceCache(BlockDevice device, int blockBytes) {
    this.device = device;
    this.blockBytes = blockBytes;
  }

  /// A holder's view of the bytes of a block.
  private static final class Held extends Buffer {
    private final boolean writable;

    Held(long number, Block block, boolean writable) {
      super(number, block.lease());
      this.writable = writable;
    }

    @Override
    protected boolean writable() {
      return writable;
    }

    @Override
    protected void letGo(Block held) {
      held.release();
    }
  }

  private Block load(long block) throws IOException {
    if (block < 0 || block >= blocks()) {
      throw FsException.corrupt(0, block, "the device ends before");
    }
    Block known = blocks.get(block);
    if (known == null) {
      known = Blocks.of(blockBytes);
      device.read(block * blockBytes, known, 0, blockBytes);
      blocks.put(block, known);
    }
    return known;
  }

  private void replace(long block, @Nullable Block by) {
    Block before = by == null ? blocks.remove(block) : blocks.put(block, by);
    if (before != null) {
      before.release();
    }
  }

  // ---- the cache --------------------------------------------------------------------------------

  @Override
  public int blockBytes() {
    return blockBytes;
  }

  @Override
  public long blocks() {
    return device.lengthBytes() / blockBytes;
  }

  @Override
  public Buffer read(long block) throws IOException {
    return new Held(block, load(block), false);
  }

  @Override
  public @Nullable Buffer cached(long block) {
    Block known = blocks.get(block);
    return known == null ? null : new Held(block, known, false);
  }

  @Override
  public int copy(long block, int offset, Memory into, long at, int count) {
    Block known = blocks.get(block);
    if (known == null) {
      return 0;
    }
    int bytes = Math.min(count, blockBytes - offset);
    into.copyFrom(known, offset, at, bytes);
    return bytes;
  }

  @Override
  public @Nullable Block lease(long block) {
    Block known = blocks.get(block);
    return known == null ? null : known.lease();
  }

  @Override
  public long peekInt(long block, int offset) {
    Block known = blocks.get(block);
    return known == null ? -1 : Buffer.unsignedInt(known, offset);
  }

  @Override
  public void readAhead(long first, int count) {}

  @Override
  public void writeBack(long bytes) {}

  @Override
  public void sync() throws IOException {
    device.flush();
  }

  @Override
  public long dirtyBytes() {
    return 0;
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      sync();
      blocks.values().forEach(Block::release);
      blocks.clear();
    }
  }

  // ---- the journal ------------------------------------------------------------------------------

  @Override
  public Transaction begin(int metadataBlocks) {
    Change change = open == null ? new Change() : open;
    open = change;
    depth++;
    return change;
  }

  @Override
  public boolean atomic() {
    return false;
  }

  @Override
  public long point() {
    return 0;
  }

  @Override
  public void await(long point) throws IOException {
    sync();
  }

  @Override
  public void whenStable(long point, FileTree.StableListener then) {
    try {
      sync();
      then.stable(null);
    } catch (IOException e) {
      then.stable(e);
    }
  }

  private final class Change implements Transaction {
    private final Map<Long, Block> changed = new LinkedHashMap<>();

    /// Replaces a block that others may have leased with a copy.
    private Buffer take(long block, boolean fresh) throws IOException {
      Block mine = changed.get(block);
      if (mine == null || mine != blocks.get(block)) {
        mine = Blocks.of(blockBytes);
        if (!fresh) {
          mine.segment().copyFrom(load(block).segment());
        }
        replace(block, mine);
        changed.put(block, mine);
      } else if (fresh) {
        mine.segment().fill((byte) 0);
      }
      return new Held(block, mine, true);
    }

    @Override
    public Buffer change(long block) throws IOException {
      return take(block, false);
    }

    @Override
    public Buffer create(long block) throws IOException {
      return take(block, true);
    }

    @Override
    public Buffer data(long block, boolean fresh) throws IOException {
      return take(block, fresh);
    }

    @Override
    public void overwrite(long block, int count, Memory from, long at) throws IOException {
      for (int i = 0; i < count; i++) {
        try (Buffer buffer = take(block + i, true)) {
          from.copyTo(at + (long) i * blockBytes, buffer.block(), 0, blockBytes);
        }
      }
    }

    @Override
    public void forget(long block) {
      changed.remove(block);
      replace(block, null);
    }

    @Override
    public void forgetData(long block, int count) {
      for (int i = 0; i < count; i++) {
        forget(block + i);
      }
    }

    @Override
    public void abort(IOException reason) {}

    @Override
    public void close() {
      if (--depth > 0) {
        return;
      }
      open = null;
      changed.forEach((number, block) -> {
        try {
          device.write(number * blockBytes, block, 0, blockBytes);
        } catch (IOException e) {
          throw new java.io.UncheckedIOException(e);
        }
      });
    }
  }
}
