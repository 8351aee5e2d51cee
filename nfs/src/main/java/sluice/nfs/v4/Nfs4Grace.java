package sluice.nfs.v4;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import sluice.nfs.v4.wire.Opaque;

/// The time after a restart in which clients claim what they had, and no client gets anything new
/// (RFC 8881, section 8.4.2). Any thread may call; it never waits.
///
/// It lasts as long as a lease, or until all that may claim have said that they are done.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | awaited | any thread | concurrent | concurrent |
/// | over | the thread that notices | volatile | volatile, only ever set |
final class Nfs4Grace {
  private final Set<Opaque> known;
  private final Set<Opaque> awaited = ConcurrentHashMap.newKeySet();
  private final LongSupplier nanoClock;
  private final long endNanos;
  private volatile boolean over;

  Nfs4Grace(Set<Opaque> previous, LongSupplier nanoClock, long lengthNanos) {
    known = new HashSet<>(previous);
    awaited.addAll(previous);
    this.nanoClock = nanoClock;
    endNanos = nanoClock.getAsLong() + lengthNanos;
    over = previous.isEmpty();
  }

  boolean isActive() {
    if (over) {
      return false;
    }
    if (awaited.isEmpty() || nanoClock.getAsLong() - endNanos >= 0) {
      over = true;
      return false;
    }
    return true;
  }

  /// Whether a client had state when the server ended.
  boolean knows(Opaque owner) {
    return known.contains(owner);
  }

  /// A client has claimed all it wants.
  void done(Opaque owner) {
    awaited.remove(owner);
  }
}
