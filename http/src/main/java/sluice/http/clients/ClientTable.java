package sluice.http.clients;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The allowances of all addresses that have connections, and of addresses without connections
/// whose recent requests still count. The table is shared by the loops of a server, which access it
/// when a connection is opened or closed, but not for each request.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `connected`, `left` | loops | under this object's lock | the same |
/// | `forgotten` | loops | volatile | volatile |
///
/// Limits: as many addresses as there are connections, and [#MOST_LEFT] addresses without
/// connections. Beyond that, the address that has had no connection for the longest time is
/// evicted, which allows it to send another burst.
public final class ClientTable {
  static final int MOST_LEFT = 65_536;

  /// The number of connections above the limit that receive an answer before they are closed.
  /// Further connections are closed without an answer, so that a client cannot keep more of them
  /// open while they linger.
  private static final int ANSWERED_ABOVE = 8;

  private static final long MAPPED = 0xffff_0000_0000L;

  /// The decision about a connection.
  public enum Admission {
    ADMITTED,
    /// The connection is answered and then closed.
    REFUSED,
    /// The connection is closed without an answer.
    DROPPED
  }

  private final ClientLimits limits;
  private final Map<Long, ClientAllowance> connected = new HashMap<>();
  private final LinkedHashMap<Long, ClientAllowance> left = new LinkedHashMap<>();
  private final AtomicLong forgotten = new AtomicLong();

  public ClientTable(ClientLimits limits) {
    this.limits = limits;
  }

  /// Counts a connection.
  ///
  /// @param high the first half of the address in IPv6 form
  /// @param low the second half; both halves are 0 if there is no address
  /// @param now the time according to the clock of the loops
  /// @return the allowance, which must be passed to [#close] after the connection has been closed,
  ///   or null if there is no limit or no address
  public @Nullable ClientAllowance open(long high, long low, long now) {
    if (!limits.any() || (high | low) == 0) {
      return null;
    }
    long key = key(high, low);
    synchronized (this) {
      ClientAllowance found = connected.get(key);
      if (found == null) {
        found = left.remove(key);
        if (found == null) {
          found = new ClientAllowance(key, limits, now);
        }
        connected.put(key, found);
      }
      found.connections++;
      return found;
    }
  }

  /// Decides if a connection that was just opened is admitted.
  public synchronized Admission admission(ClientAllowance of) {
    int above = limits.connections() == 0 ? 0 : of.connections - limits.connections();
    if (above <= 0) {
      return Admission.ADMITTED;
    }
    return above <= ANSWERED_ABOVE ? Admission.REFUSED : Admission.DROPPED;
  }

  /// Records that a connection has been closed.
  public synchronized void close(ClientAllowance of, long now) {
    of.connections--;
    if (of.connections == 0) {
      connected.remove(of.key);
      if (!of.settled(now)) {
        left.put(of.key, of);
      }
    }
    trim(now);
  }

  /// Removes up to two settled allowances, oldest first, and evicts the oldest if there are too
  /// many.
  private void trim(long now) {
    Iterator<ClientAllowance> oldest = left.values().iterator();
    for (int i = 0; i < 2 && oldest.hasNext(); i++) {
      boolean settled = oldest.next().settled(now);
      if (settled || left.size() > MOST_LEFT) {
        oldest.remove();
        if (!settled) {
          forgotten.incrementAndGet();
        }
      }
    }
  }

  /// Returns the key of an address, which is the complete IPv4 address in its IPv6 form, or the
  /// network part of an IPv6 address. The two cannot collide because the prefix of the former is
  /// not used by any IPv6 network.
  private static long key(long high, long low) {
    return high == 0 && (low & ~0xffff_ffffL) == MAPPED ? low : high;
  }

  /// Returns the current number of addresses in this table.
  public synchronized int size() {
    return connected.size() + left.size();
  }

  /// Returns the number of addresses that were evicted too early.
  public long forgotten() {
    return forgotten.get();
  }
}
