package sluice.http.files;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The part of a [WatchTable] that its [WatchedRoot] accesses, which consists of its valid and its
/// invalidated tickets. The root calls it while holding its lock.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | tickets, fallen | any | under the root's lock | the same |
/// | hasFallen | any, under the root's lock | volatile | volatile |
/// | closed | the table's owner | volatile | volatile |
/// | evictions, shortages, overflows | any, under the root's lock | volatile | atomic add |
abstract class WatchOwner {
  private final List<WatchTicket> tickets = new ArrayList<>();
  private List<WatchTicket> fallen = new ArrayList<>();
  volatile boolean hasFallen;
  volatile boolean closed;
  final AtomicLong evictions = new AtomicLong();
  final AtomicLong shortages = new AtomicLong();
  final AtomicLong overflows = new AtomicLong();

  /// Removes the dependences of a ticket. This method acquires the root's lock itself.
  abstract void release(WatchTicket ticket);

  boolean closed() {
    return closed;
  }

  void connected(WatchTicket ticket) {
    if (ticket.placeInTable < 0) {
      ticket.placeInTable = tickets.size();
      tickets.add(ticket);
    }
  }

  void disconnected(WatchTicket ticket) {
    int place = ticket.placeInTable;
    if (place >= 0) {
      WatchTicket last = tickets.removeLast();
      if (last != ticket) {
        tickets.set(place, last);
        last.placeInTable = place;
      }
      ticket.placeInTable = -1;
    }
  }

  /// Returns any ticket that depends on names, or null if there is none.
  @Nullable WatchTicket anyTicket() {
    return tickets.isEmpty() ? null : tickets.getLast();
  }

  void fell(WatchTicket ticket) {
    if (!closed) {
      fallen.add(ticket);
      hasFallen = true;
    }
  }

  List<WatchTicket> swapFallen(List<WatchTicket> empty) {
    List<WatchTicket> taken = fallen;
    fallen = empty;
    hasFallen = false;
    return taken;
  }

  void evicted() {
    evictions.incrementAndGet();
  }

  void shortage() {
    shortages.incrementAndGet();
  }

  void overflowed() {
    overflows.incrementAndGet();
  }
}
