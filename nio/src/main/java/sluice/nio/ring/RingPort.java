package sluice.nio.ring;

import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Token;

/// A channel's port in a [SelectorRing]. The methods are called on the ring's thread, except where
/// documented otherwise.
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

  /// True while the channel is attached to the ring. It never becomes true again.
  volatile boolean attached = true;

  /// True if an operation that delivers bytes or connections is armed in the kernel.
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

  /// Returns the token of the given operation of this port.
  long token(int operation) {
    return Token.of(operation, generation, slot);
  }

  /// Returns true if a change of interest is relevant to the ring. Any thread may call.
  abstract boolean needsUpdate(int interest);

  /// Stages the operations that the key's interest requires. Called in a turn before the ring
  /// enters the kernel.
  abstract void arm();

  /// Handles one completion.
  ///
  /// @param part the received bytes, with their offset in the region in the upper half and their
  ///   length in the lower half; undefined if the completion has no chunk
  abstract void complete(int operation, int result, int flags, long part);

  /// Notifies the port that the ring has released it. Called once, under the turn lock, by any
  /// thread.
  abstract void detached();

  /// Returns the operations that are known to be ready without querying the kernel. Any thread may
  /// call.
  abstract int readyOps();

  /// Returns the key if the ring's completions have made it ready, or null otherwise. The selector
  /// must check that the key is valid.
  @Nullable NioKey readyKey() {
    return (readyOps() & key.interest()) != 0 ? key : null;
  }
}
