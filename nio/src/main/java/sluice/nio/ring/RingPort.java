package sluice.nio.ring;

import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Token;

/// A channel's port in a [SelectorRing]. The ring's thread calls, except where documented
/// otherwise.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `attached` | holder of the ring's turn lock | volatile | volatile |
/// | `armed` | ring's thread | volatile | volatile |
/// | the rest | ring's thread | plain | plain |
abstract class RingPort {
  final SelectorRing ring;
  final NioKey key;
  final int slot;
  final int generation;

  /// True while the ring works for the channel. Once false it stays false.
  volatile boolean attached = true;

  /// True if an operation that brings bytes or connections is armed in the kernel.
  volatile boolean armed;

  boolean cancelling;
  boolean pollArmed;

  /// True if the port is on the ring's list of ports to arm.
  boolean touched;

  RingPort(SelectorRing ring, NioKey key, int slot, int generation) {
    this.ring = ring;
    this.key = key;
    this.slot = slot;
    this.generation = generation;
  }

  /// Returns the token of one of the port's operations.
  long token(int operation) {
    return Token.of(operation, generation, slot);
  }

  /// Returns true if a change of interest concerns the ring. Any thread may call.
  abstract boolean needsUpdate(int interest);

  /// Stages the operations for the key's interest. Called in a turn, before its crossing.
  abstract void arm();

  /// Handles one completion.
  ///
  /// @param part the received bytes: their offset in the region in the upper half, their length in
  ///   the lower; without meaning if there is no chunk
  abstract void complete(int operation, int result, int flags, long part);

  /// Handles the release by the ring. Called once, under the turn lock, by any thread.
  abstract void detached();

  /// Returns the operations that are ready without asking the kernel. Any thread may call.
  abstract int readyOps();

  /// Returns the key if the ring's completions make it ready, else null. The selector checks that
  /// it is valid.
  @Nullable NioKey readyKey() {
    return (readyOps() & key.interest()) != 0 ? key : null;
  }
}
