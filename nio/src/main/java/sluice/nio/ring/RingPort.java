package sluice.nio.ring;

import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Token;

/// A channel's place in a [SelectorRing]. The ring's thread calls, except where said.
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

  /// Whether the ring does anything for the channel. Once false it stays false.
  volatile boolean attached = true;

  /// Whether the kernel has an operation of ours that brings bytes or connections.
  volatile boolean armed;

  boolean cancelling;
  boolean pollArmed;

  /// On the ring's list of ports to arm.
  boolean touched;

  RingPort(SelectorRing ring, NioKey key, int slot, int generation) {
    this.ring = ring;
    this.key = key;
    this.slot = slot;
    this.generation = generation;
  }

  /// The token of one of the port's operations.
  long token(int operation) {
    return Token.of(operation, generation, slot);
  }

  /// Whether a change of interest concerns the ring. Any thread.
  abstract boolean needsUpdate(int interest);

  /// Stages what the key's interest asks for. In a turn, whose crossing follows.
  abstract void arm();

  /// Takes one completion.
  ///
  /// @param part what it has brought, where it begins in the region in the upper half, its length
  ///   in the lower; no meaning without a chunk
  abstract void complete(int operation, int result, int flags, long part);

  /// The ring lets go: called once, under the turn lock, by any thread.
  abstract void detached();

  /// Which operations are ready, of those the kernel need not be asked for. Any thread.
  abstract int readyOps();

  /// What the ring's completions say of the key, for the selector; it looks whether it is valid.
  @Nullable NioKey readyKey() {
    return (readyOps() & key.interest()) != 0 ? key : null;
  }
}
