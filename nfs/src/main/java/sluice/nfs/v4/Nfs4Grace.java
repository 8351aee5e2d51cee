package sluice.nfs.v4;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import sluice.nfs.v4.wire.Opaque;

/// The grace period after a restart. During this period, clients can reclaim their opens and locks,
/// and no new opens or locks are granted (RFC 8881, section 8.4.2). This class is thread-safe, and
/// none of its methods blocks.
///
/// The grace period ends after one lease time, or earlier if all clients that may reclaim their
/// state have sent RECLAIM_COMPLETE.
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

  /// Returns true if the given client had state when the server was stopped.
  boolean knows(Opaque owner) {
    return known.contains(owner);
  }

  /// Records that a client has reclaimed all its state.
  void done(Opaque owner) {
    awaited.remove(owner);
  }
}
