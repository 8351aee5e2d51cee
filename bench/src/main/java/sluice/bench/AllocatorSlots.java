package sluice.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.memory.block.Region;
import sluice.sys.NativeMemory;

/// Slots for blocks of one allocator, which are freed and replaced. Used by one thread.
abstract class AllocatorSlots implements AutoCloseable {
  private static final int PAGE_BYTES = 4096;

  /// Frees the memory in a slot, and allocates zeroed memory in its place.
  abstract void replace(int slot, int bytes);

  @Override
  public abstract void close();

  static AllocatorSlots of(String system, int slots, long capacityBytes, int unitBytes)
      throws IOException {
    Account account = new Account(system, capacityBytes);
    return switch (system) {
      case "sluice/region" -> {
        Region region = Region.openAnonymous(system, capacityBytes, unitBytes, false);
        yield new OfRegion(slots, region, account);
      }
      case "sluice/heap" -> new OfHeap(slots, account);
      case "malloc" -> new OfMalloc(slots);
      case "arena/confined" -> new OfArenas(slots, Arena::ofConfined);
      case "arena/shared" -> new OfArenas(slots, Arena::ofShared);
      default -> throw new IllegalArgumentException("no allocator is called " + system);
    };
  }

  /// Touches all pages of a segment, because a page fault costs more than all else.
  private static void touch(MemorySegment segment) {
    for (long at = 0; at < segment.byteSize(); at += PAGE_BYTES) {
      segment.set(ValueLayout.JAVA_BYTE, at, (byte) 1);
    }
  }

  private static void release(@Nullable Block[] held) {
    for (int slot = 0; slot < held.length; slot++) {
      Block block = held[slot];
      held[slot] = null;
      if (block != null) {
        block.release();
      }
    }
  }

  private static final class OfRegion extends AllocatorSlots {
    private final @Nullable Block[] held;
    private final Region region;
    private final Account account;

    OfRegion(int slots, Region region, Account account) {
      this.held = new Block[slots];
      this.region = region;
      this.account = account;
    }

    @Override
    void replace(int slot, int bytes) {
      Block before = held[slot];
      if (before != null) {
        before.release();
      }
      Block block = Objects.requireNonNull(region.allocate(account, bytes));
      touch(block.segment());
      held[slot] = block;
    }

    @Override
    public void close() {
      release(held);
      region.close();
    }
  }

  private static final class OfHeap extends AllocatorSlots {
    private final @Nullable Block[] held;
    private final Account account;

    OfHeap(int slots, Account account) {
      this.held = new Block[slots];
      this.account = account;
    }

    @Override
    void replace(int slot, int bytes) {
      Block before = held[slot];
      if (before != null) {
        before.release();
      }
      Block block = Objects.requireNonNull(Block.allocate(account, bytes));
      touch(block.segment());
      held[slot] = block;
    }

    @Override
    public void close() {
      release(held);
    }
  }

  private static final class OfMalloc extends AllocatorSlots {
    private final @Nullable MemorySegment[] held;

    OfMalloc(int slots) {
      this.held = new MemorySegment[slots];
    }

    @Override
    void replace(int slot, int bytes) {
      MemorySegment before = held[slot];
      if (before != null) {
        NativeMemory.free(before);
      }
      MemorySegment segment = NativeMemory.allocate(bytes);
      touch(segment);
      held[slot] = segment;
    }

    @Override
    public void close() {
      for (int slot = 0; slot < held.length; slot++) {
        MemorySegment segment = held[slot];
        held[slot] = null;
        if (segment != null) {
          NativeMemory.free(segment);
        }
      }
    }
  }

  /// Allocates each block in an arena of its own.
  private static final class OfArenas extends AllocatorSlots {
    private final @Nullable Arena[] held;
    private final Supplier<Arena> open;

    OfArenas(int slots, Supplier<Arena> open) {
      this.held = new Arena[slots];
      this.open = open;
    }

    @Override
    void replace(int slot, int bytes) {
      Arena before = held[slot];
      if (before != null) {
        before.close();
      }
      Arena arena = open.get();
      touch(arena.allocate(bytes));
      held[slot] = arena;
    }

    @Override
    public void close() {
      for (int slot = 0; slot < held.length; slot++) {
        Arena arena = held[slot];
        held[slot] = null;
        if (arena != null) {
          arena.close();
        }
      }
    }
  }
}
