package sluice.http.files;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The dependence of one answer on names beneath the root. It falls when any of them may have
/// changed, and then for good; the owner of the table is told once, by [WatchTable#drain].
///
/// Made by the thread that fills, before it looks at anything; handed with the answer to the owner
/// thread, which keeps it with the cache entry. Any thread may close it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | fallen | holder of the lock of its [WatchedRoot] | volatile | volatile |
/// | names, places, placeInTable | holder of the lock | under the lock | under the lock |
/// | attachment | owner of the table | plain | plain |
public final class WatchTicket implements AutoCloseable {
  private static final int FIRST_NAMES = 4;

  final List<WatchNode> names = new ArrayList<>(FIRST_NAMES);

  /// Where the ticket is among those of each name, and among those of its table.
  private int[] places = new int[FIRST_NAMES];

  int placeInTable = -1;

  final WatchOwner table;
  private volatile boolean fallen;
  private @Nullable Object attachment;

  WatchTicket(WatchOwner table) {
    this.table = table;
  }

  /// Whether a change was drained, or the watch was given up. While this is false and everything
  /// queued has been drained, what was read after the ticket was made is what the files hold now.
  public boolean fallen() {
    return fallen;
  }

  /// Notes that the ticket is the last one of `name`.
  void add(WatchNode name) {
    if (names.size() == places.length) {
      places = Arrays.copyOf(places, 2 * places.length);
    }
    places[names.size()] = name.tickets.size() - 1;
    names.add(name);
  }

  int place(int name) {
    return places[name];
  }

  /// Notes that the ticket is elsewhere among those of `name`.
  void moved(WatchNode name, int place) {
    places[names.indexOf(name)] = place;
  }

  void fall() {
    fallen = true;
  }

  /// What the owner put here to find its cache entry again.
  public @Nullable Object attachment() {
    return attachment;
  }

  public void attach(@Nullable Object value) {
    attachment = value;
  }

  /// Ends the dependence; the owner is not told of changes any more. Idempotent.
  @Override
  public void close() {
    table.release(this);
  }
}
