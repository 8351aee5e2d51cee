package sluice.nfs.rpc;

import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import sluice.nfs.RpcLimits;

/// Counts the bytes of file system caches that are leased by the replies of one loop. The count
/// includes the maximum of each reply that a worker is writing, and all replies that clients have
/// not yet received. Instances are owned by the loop's thread.
///
/// If a client sends calls but does not read the replies, their cache frames remain leased and
/// cannot be used for other clients. Therefore a connection that has exhausted its share does not
/// start any further calls that read. When the share of the loop is exhausted, each connection
/// executes only one such call at a time, and the replies are shortened and copied.
final class RpcLeases {
  /// A connection that has sent replies with leases.
  interface Debtor {
    /// Determines which replies the client has received. This method is called on the loop's
    /// thread.
    ///
    /// @return an upper bound of the bytes that are still leased
    long settle();
  }

  /// The maximum length of a reply when the share of the loop is exhausted.
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

  /// Limits the length and the leases of a reply that is written on the loop's thread.
  void bound(XdrWriter reply, long now) {
    long free = free(limits.messageBytes(), now);
    reply.bound(free > 0 ? limits.messageBytes() : SHORT_REPLY_BYTES);
    reply.mayLease((int) Math.min(free, limits.messageBytes()));
  }

  /// Limits a reply that a worker is going to write, and reserves its leases until [#made] is
  /// called.
  ///
  /// @param wanted the number of bytes the reply would lease
  void reserve(XdrWriter reply, int wanted, long now) {
    boolean enough = wanted == 0 || has(wanted, now);
    reply.bound(enough ? limits.messageBytes() : SHORT_REPLY_BYTES);
    reply.mayLease(enough ? wanted : 0);
    reserved += reply.mayLease();
  }

  /// Releases the reservation of a reply that a worker has written.
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

  /// Adds the leases of a staged reply to the count.
  void staged(Debtor debtor, int bytes) {
    owing.add(debtor);
    owed += bytes;
  }

  /// Removes a connection that has been closed. Its bytes remain counted until the next check.
  void ended(Debtor debtor) {
    owing.remove(debtor);
  }

  /// Returns the number of bytes that were leased or reserved at the last check. Other threads may
  /// read a slightly outdated value.
  long bytes() {
    return reserved + owed;
  }
}
