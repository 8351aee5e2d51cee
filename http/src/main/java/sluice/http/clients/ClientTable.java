package sluice.http.clients;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The allowances of the addresses with connections, and of those without one whose recent requests
/// still count. Shared by the loops of a server, which use it when a connection begins and ends,
/// but not for a request.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `connected`, `left` | loops | under this object's lock | the same |
/// | `forgotten` | loops | volatile | volatile |
///
/// Limits: as many addresses as there are connections, and [#MOST_LEFT] without one. Beyond that
/// the address that has been without a connection for longest is forgotten: it may send a burst
/// once more.
public final class ClientTable {
  static final int MOST_LEFT = 65_536;

  /// The number of connections above the limit that get an answer before they are closed. Further
  /// ones are ended without an answer, so that a client cannot hold more of them while they linger.
  private static final int ANSWERED_ABOVE = 8;

  private static final long MAPPED = 0xffff_0000_0000L;

  /// The decision about a connection.
  public enum Admission {
    ADMITTED,
    /// Answered, then closed.
    REFUSED,
    /// Ended without an answer.
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
  /// @param high the first half of its address, as IPv6
  /// @param low the second half; both 0 if it has none
  /// @param now by the clock of the loops
  /// @return the allowance, to be passed to [#close] when the connection has ended; null if there
  ///   is no limit, or no address
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

  /// Decides about a connection that was just opened.
  public synchronized Admission admission(ClientAllowance of) {
    int above = limits.connections() == 0 ? 0 : of.connections - limits.connections();
    if (above <= 0) {
      return Admission.ADMITTED;
    }
    return above <= ANSWERED_ABOVE ? Admission.REFUSED : Admission.DROPPED;
  }

  /// Counts the end of a connection.
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

  /// Removes up to two settled allowances, the oldest first, and the oldest of too many.
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

  /// Returns the key of an address: an IPv4 address as a whole, in its IPv6 form, or the network of
  /// an IPv6 address. No IPv6 network in use begins like the former.
  private static long key(long high, long low) {
    return high == 0 && (low & ~0xffff_ffffL) == MAPPED ? low : high;
  }

  /// Returns the number of addresses known now.
  public synchronized int size() {
    return connected.size() + left.size();
  }

  /// Returns the number of addresses that were forgotten too early.
  public long forgotten() {
    return forgotten.get();
  }
}
