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

/// The input that is being shown to a protocol, and the references to it that the protocol retains.
/// Owned by the loop's thread.
///
/// Each delivery has its own view, and so does each message that is shown to foreign code. If
/// foreign code keeps a view, accesses throw an exception until the view is reused. Views are
/// reused after [#VIEWS] others, because a new view for each message would produce garbage.
///
/// Retained bytes are leased in place if the arena can spare the chunk, and copied otherwise. A
/// leased chunk is counted once for its connection, regardless of the number of messages retained
/// in it.
final class HandledInput {
  /// The number of views, which is a power of two.
  static final int VIEWS = 64;

  private final ViewBinder[] binders = new ViewBinder[VIEWS];
  private int turn;
  private @Nullable ViewBinder delivered;

  /// The view of a message within the delivered bytes, or null if none is shown.
  private @Nullable ViewBinder message;

  private final LoopCounters counters;
  private final Account copies;
  private @Nullable Block block;
  private @Nullable Endpoint connection;
  private long offset;

  /// The offset in the block of the first delivered byte.
  private long base;

  /// The lease on [#block] shared by the references of this delivery. The delivery itself holds one
  /// count.
  private @Nullable RetainedInput leased;

  /// @param copies charged with the bytes that are copied because they cannot be leased
  HandledInput(LoopCounters counters, Account copies) {
    this.counters = counters;
    this.copies = copies;
  }

  /// Creates the views in the loop's first turn. They belong to the thread that turns the loop.
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

  /// Returns the account to which copies are charged.
  Account copies() {
    return copies;
  }

  /// Shows bytes until [#end] is called.
  View begin(Endpoint shownTo, Block bytes, long from, int count) {
    ViewBinder binder = next();
    delivered = binder;
    connection = shownTo;
    block = bytes;
    base = from;
    offset = from;
    return binder.bind(bytes.segment(), from, count);
  }

  /// Shows a message within the delivered bytes until [#endMessage] is called.
  ///
  /// @param from the offset from the beginning of the delivered bytes
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

  /// Invalidates the view of the message. The delivered bytes remain visible.
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

  /// Returns the block that contains the bytes shown as `input`, starting at [#offset].
  ///
  /// @throws IllegalStateException if `input` is not the view being handled
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

  /// Implements [Connection#lease].
  @Nullable Block lease(Endpoint keeper, View input) {
    Block shown = block(input);
    ChunkArena arena = keeper.transport.arena();
    return arena.holds(shown) && !scarce(arena) ? shown.lease() : null;
  }

  /// Implements [Connection#retain].
  ///
  /// @param quota the limits on the bytes that `keeper` may retain
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

  /// Returns true if less than a quarter of an arena is free. The rest is reserved for receiving.
  static boolean scarce(ChunkArena arena) {
    return 4L * arena.free() < arena.count();
  }
}
