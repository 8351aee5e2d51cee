package sluice.loop;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.ChunkArena;
import sluice.loop.input.ConnectionLeases;
import sluice.loop.input.RetainedInput;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.View;
import sluice.memory.ViewBinder;
import sluice.memory.block.Block;

/// The bytes a protocol is being shown, and what it keeps of them. Owned by the loop's thread.
///
/// Kept bytes are leased where they are while the arena can spare the chunk, otherwise copied. A
/// chunk that is leased counts once for its connection, however many messages of it are kept.
final class HandledInput {
  private @Nullable ViewBinder binder;
  private final LoopCounters counters;
  private final Account copies;
  private @Nullable Block block;
  private @Nullable Endpoint connection;
  private long offset;

  /// Offset in the block of what was shown first.
  private long base;

  /// The lease on [#block] that this delivery's references share; one lease is the delivery's own.
  private @Nullable RetainedInput leased;

  /// @param copies charged with what is copied because it cannot be leased
  HandledInput(LoopCounters counters, Account copies) {
    this.counters = counters;
    this.copies = copies;
  }

  /// Views belong to the thread that turns the loop, from its first turn on.
  void ownedBy(Thread owner) {
    binder = new ViewBinder(owner);
  }

  private ViewBinder binder() {
    ViewBinder made = binder;
    if (made == null) {
      throw new IllegalStateException("the loop has not turned yet");
    }
    return made;
  }

  /// What is charged for copies.
  Account copies() {
    return copies;
  }

  /// Shows bytes until [#end].
  View begin(Endpoint shownTo, Block bytes, long from, int count) {
    connection = shownTo;
    block = bytes;
    base = from;
    offset = from;
    return binder().bind(bytes.segment(), from, count);
  }

  /// Narrows the view to a part of what it showed first, or widens it again.
  ///
  /// @param from counted from the beginning of what was shown first
  void window(int from, int count) {
    Block shown = block;
    if (shown == null) {
      throw new IllegalStateException("no input is being handled");
    }
    offset = base + from;
    binder().bind(shown.segment(), offset, count);
  }

  void end() {
    binder().unbind();
    block = null;
    connection = null;
    RetainedInput kept = leased;
    if (kept != null) {
      leased = null;
      kept.release();
    }
  }

  /// Where the bytes shown as `input` are, from [#offset] on.
  ///
  /// @throws IllegalStateException when these are not the bytes that are being handled
  Block block(View input) {
    Block shown = block;
    if (shown == null || binder().view() != input) {
      throw new IllegalStateException("no input is being handled");
    }
    return shown;
  }

  long offset() {
    return offset;
  }

  /// As [Connection#lease].
  @Nullable Block lease(Endpoint keeper, View input) {
    Block shown = block(input);
    ChunkArena arena = keeper.transport.arena();
    return arena.holds(shown) && !scarce(arena) ? shown.lease() : null;
  }

  /// As [Connection#retain].
  ///
  /// @param quota what `keeper` may keep
  @Nullable Memory retain(
      Endpoint keeper, ConnectionLeases quota, View input, int from, int length) {
    Block shown = block(input);
    if (keeper != connection) {
      throw new IllegalStateException("the input that is being handled is another connection's");
    }
    if (from < 0 || length < 1 || from > input.length() - length) {
      throw new IndexOutOfBoundsException(
          "[" + from + ", +" + length + ") of a view of " + input.length() + " bytes");
    }
    ChunkArena arena = keeper.transport.arena();
    if (leased == null && arena.holds(shown) && !scarce(arena) && quota.tryChargeChunk()) {
      leased = RetainedInput.chunk(shown, quota);
    }
    RetainedInput chunk = leased;
    if (chunk != null) {
      counters.retainedByLease++;
      return Memory.readOnlyOver(chunk, offset + from, length);
    }
    return copy(quota, shown.segment(), offset + from, length);
  }

  private @Nullable Memory copy(ConnectionLeases quota, MemorySegment source, long at, int length) {
    Block copy = null;
    if (quota.tryChargeCopy(length)) {
      copy = Block.allocate(copies, length);
      if (copy == null) {
        quota.refundCopy(length);
      }
    }
    if (copy == null) {
      counters.retainsRefused++;
      return null;
    }
    counters.retainedByCopy++;
    MemorySegment.copy(source, at, copy.segment(), 0, length);
    RetainedInput kept = RetainedInput.copy(copy, quota);
    Memory memory = Memory.readOnlyOver(kept, 0, length);
    kept.release();
    return memory;
  }

  /// Whether the rest of an arena is for receiving only: less than a quarter.
  static boolean scarce(ChunkArena arena) {
    return 4L * arena.free() < arena.count();
  }
}
