package sluice.acceptance.stress;

import sluice.memory.Memory;

/// Uses memory while its owner revokes it. One thread uses it, another says when it was revoked.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | used, revoked | one of the two each | volatile | volatile |
final class OldHolder {
  /// A loop without any synchronization, in which compiled code reads a plain flag once. It lasts
  /// longer than a revocation.
  private static final int USES = 200_000;

  private volatile boolean used;
  private volatile boolean revoked;

  /// Until the memory was revoked, and once more then.
  ///
  /// @return what was seen of another owner's bytes; `NONE` when no access after the revocation
  ///   succeeded
  long use(Memory memory) {
    long seen = Bytes.OLD;
    boolean last = false;
    try {
      while (seen == Bytes.OLD) {
        last = revoked;
        seen = loop(memory);
        if (last) {
          return seen;
        }
        used = true;
      }
    } catch (IllegalStateException ended) {
      used = true;
      return Bytes.NONE;
    }
    return seen;
  }

  private static long loop(Memory memory) {
    long seen = Bytes.OLD;
    for (int i = 0; i < USES && seen == Bytes.OLD; i++) {
      seen = memory.getLong(0);
      memory.setLong(0, Bytes.OLD);
    }
    return seen;
  }

  /// By the owner, before it revokes: waits until the memory is in use.
  void awaitUse() {
    Gate.await(() -> used);
  }

  /// By the owner, when the memory was revoked and has other bytes.
  void revoked() {
    revoked = true;
  }
}
