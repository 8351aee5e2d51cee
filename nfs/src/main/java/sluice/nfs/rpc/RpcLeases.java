package sluice.nfs.rpc;

import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import sluice.nfs.RpcLimits;

/// How much of file systems' caches the replies of one loop keep: those that workers are making, by
/// what they may take at most, and those that clients have not taken yet. Owned by the loop's
/// thread.
///
/// A client that asks and does not read keeps what it was sent leased, and no other client can have
/// those frames. So a connection that has its share starts no more calls that read; when all of the
/// loop's share is gone, each starts one at a time, and replies are copies, and short.
final class RpcLeases {
  /// A connection whose replies keep leases until its client has taken them.
  interface Debtor {
    /// Looks at what the client has taken. On the loop's thread.
    ///
    /// @return bytes of replies that are still leased, at most
    long settle();
  }

  /// A reply of an overdrawn loop: enough to go on with.
  private static final int SHORT_REPLY_BYTES = 64 << 10;

  /// How often is looked at what has been taken.
  private static final long SETTLE_NANOS = 1_000_000;

  private final RpcLimits limits;
  private final Set<Debtor> owing = new HashSet<>();
  private long reserved;
  private long owed;
  private long settledNanos;

  RpcLeases(RpcLimits limits) {
    this.limits = limits;
  }

  /// Bounds a reply that is made at once: what it may lease, and how long it may be.
  void bound(XdrWriter reply, long now) {
    long free = free(limits.messageBytes(), now);
    reply.bound(free > 0 ? limits.messageBytes() : SHORT_REPLY_BYTES);
    reply.mayLease((int) Math.min(free, limits.messageBytes()));
  }

  /// Bounds a reply that a worker will make, and reserves what it may lease until [#made].
  ///
  /// @param wanted bytes it would lease
  void reserve(XdrWriter reply, int wanted, long now) {
    boolean enough = wanted == 0 || has(wanted, now);
    reply.bound(enough ? limits.messageBytes() : SHORT_REPLY_BYTES);
    reply.mayLease(enough ? wanted : 0);
    reserved += reply.mayLease();
  }

  /// A worker has made a reply.
  void made(XdrWriter reply) {
    reserved -= reply.mayLease();
  }

  /// Whether there is as much as a reply would lease.
  boolean has(int wanted, long now) {
    return free(wanted, now) >= wanted;
  }

  private long free(int wanted, long now) {
    if (limits.leasedBytes() - reserved - owed < wanted && now - settledNanos > SETTLE_NANOS) {
      settledNanos = now;
      settle();
    }
    return Math.max(0, limits.leasedBytes() - reserved - owed);
  }

  private void settle() {
    owed = 0;
    for (Iterator<Debtor> all = owing.iterator(); all.hasNext(); ) {
      long still = all.next().settle();
      owed += still;
      if (still == 0) {
        all.remove();
      }
    }
  }

  /// A reply with leases was staged.
  void staged(Debtor debtor, int bytes) {
    owing.add(debtor);
    owed += bytes;
  }

  /// A connection has ended, and its leases with it; they are counted until it matters.
  void ended(Debtor debtor) {
    owing.remove(debtor);
  }

  /// Bytes that replies keep or may take, as far as it is known. Other threads read it as a hint.
  long bytes() {
    return reserved + owed;
  }
}
