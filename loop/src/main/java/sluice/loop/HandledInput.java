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
/// Each delivery has a view of its own, and each message that foreign code is shown another: a view
/// that foreign code keeps throws, for as long as it is not in use again. Views are used again
/// after [#VIEWS] of them, since a new one for each message would be garbage.
///
/// Kept bytes are leased where they are while the arena can spare the chunk, otherwise copied. A
/// chunk that is leased counts once for its connection, however many messages of it are kept.
final class HandledInput {
  /// A power of two.
  static final int VIEWS = 64;

  private final ViewBinder[] binders = new ViewBinder[VIEWS];
  private int turn;
  private @Nullable ViewBinder delivered;

  /// Shows a message of what is delivered; null where none is shown.
  private @Nullable ViewBinder message;

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
    for (int i = 0; i < VIEWS; i++) {
      binders[i] = new ViewBinder(owner);
    }
  }

  private ViewBinder next() {
    ViewBinder next = binders[turn++ & (VIEWS - 1)];
    if (next == null) {
      throw new IllegalStateException("the loop has not turned yet");
    }
    return next;
  }

  /// What is charged for copies.
  Account copies() {
    return copies;
  }

  /// Shows bytes until [#end].
  View begin(Endpoint shownTo, Block bytes, long from, int count) {
    ViewBinder binder = next();
    delivered = binder;
    connection = shownTo;
    block = bytes;
    base = from;
    offset = from;
    return binder.bind(bytes.segment(), from, count);
  }

  /// Shows a message of what is delivered, until [#endMessage].
  ///
  /// @param from counted from the beginning of what is delivered
  View message(int from, int count) {
    Block shown = block;
    if (shown == null || message != null) {
      throw new IllegalStateException("no input is being handled, or a message of it");
    }
    ViewBinder binder = next();
    if (binder == delivered) { // once in so many messages of one delivery
      binder = next();
    }
    message = binder;
    offset = base + from;
    return binder.bind(shown.segment(), offset, count);
  }

  /// Takes the message away; what is delivered is shown on.
  void endMessage() {
    ViewBinder binder = message;
    if (binder != null) {
      message = null;
      binder.unbind();
      offset = base;
    }
  }

  void end() {
    endMessage();
    ViewBinder binder = delivered;
    if (binder != null) {
      delivered = null;
      binder.unbind();
    }
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
    ViewBinder binder = message == null ? delivered : message;
    if (shown == null || binder == null || binder.view() != input) {
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
