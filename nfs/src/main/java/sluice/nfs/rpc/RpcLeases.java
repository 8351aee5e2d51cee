package sluice.nfs.rpc;

import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import sluice.nfs.RpcLimits;

/// The number of file system cache bytes that the replies of one loop lease. It counts the maximum
/// of each reply that a worker is making, and the replies that clients have not received yet. Owned
/// by the loop's thread.
///
/// A client that sends calls and does not read the replies keeps their cache frames leased, and
/// other clients cannot use those frames. Therefore a connection that has used up its share starts
/// no more calls that read. When the loop's share is used up, each connection runs one such call at
/// a time, and replies are short and copied.
final class RpcLeases {
  /// A connection that has sent replies with leases.
  interface Debtor {
    /// Checks which replies the client has received. Called on the loop's thread.
    ///
    /// @return an upper bound of the bytes that are still leased
    long settle();
  }

  /// The maximum length of a reply when the loop's share is used up.
  private static final int SHORT_REPLY_BYTES = 64 << 10;

  /// The minimum time between two checks.
  private static final long SETTLE_NANOS = 1_000_000;

  private final RpcLimits limits;
  private final Set<Debtor> owing = new HashSet<>();
  private long reserved;
  private long owed;
  private long settledNanos;

  RpcLeases(RpcLimits limits) {
    this.limits = limits;
  }

  /// Limits the length and the leases of a reply that is made on the loop's thread.
  void bound(XdrWriter reply, long now) {
    long free = free(limits.messageBytes(), now);
    reply.bound(free > 0 ? limits.messageBytes() : SHORT_REPLY_BYTES);
    reply.mayLease((int) Math.min(free, limits.messageBytes()));
  }

  /// Limits a reply that a worker will make, and reserves its leases until [#made].
  ///
  /// @param wanted the number of bytes the reply would lease
  void reserve(XdrWriter reply, int wanted, long now) {
    boolean enough = wanted == 0 || has(wanted, now);
    reply.bound(enough ? limits.messageBytes() : SHORT_REPLY_BYTES);
    reply.mayLease(enough ? wanted : 0);
    reserved += reply.mayLease();
  }

  /// Returns the reservation of a reply that a worker has made.
  void made(XdrWriter reply) {
    reserved -= reply.mayLease();
  }

  /// Returns true if `wanted` bytes may be leased.
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

  /// Counts a staged reply with leases.
  void staged(Debtor debtor, int bytes) {
    owing.add(debtor);
    owed += bytes;
  }

  /// Removes a connection that has ended. Its bytes stay counted until the next check.
  void ended(Debtor debtor) {
    owing.remove(debtor);
  }

  /// Returns the number of leased and reserved bytes at the last check. Other threads may read a
  /// slightly old value.
  long bytes() {
    return reserved + owed;
  }
}
