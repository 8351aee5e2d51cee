package sluice.http.files;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The dependence of an answer on names beneath the root. It is invalidated permanently when any of
/// them may have changed, and [WatchTable#drain] then notifies the owner of the table once.
///
/// A ticket is created by the thread that performs the fill before it examines any file. It is
/// passed with the answer to the owner thread, which stores it in the cache entry. Any thread may
/// close it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | fallen | holder of the lock of its [WatchedRoot] | volatile | volatile |
/// | names, places, placeInTable | holder of the lock | under the lock | under the lock |
/// | attachment | owner of the table | plain | plain |
public final class WatchTicket implements AutoCloseable {
  private static final int FIRST_NAMES = 4;

  final List<WatchNode> names = new ArrayList<>(FIRST_NAMES);

  /// The index of the ticket in the list of each of its names; `placeInTable` is its index in the
  /// table.
  private int[] places = new int[FIRST_NAMES];

  int placeInTable = -1;

  final WatchOwner table;
  private volatile boolean fallen;
  private @Nullable Object attachment;

  WatchTicket(WatchOwner table) {
    this.table = table;
  }

  /// Returns true if a change was drained or the watch was removed. While this is false and all
  /// queued events have been drained, data that was read after the ticket was created is current.
  public boolean fallen() {
    return fallen;
  }

  /// Records that the ticket is the last one in the list of `name`.
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

  /// Records that the ticket has moved in the list of `name`.
  void moved(WatchNode name, int place) {
    places[names.indexOf(name)] = place;
  }

  void fall() {
    fallen = true;
  }

  /// Returns the object with which the owner locates its cache entry.
  public @Nullable Object attachment() {
    return attachment;
  }

  public void attach(@Nullable Object value) {
    attachment = value;
  }

  /// Removes the dependences, so that the owner is not notified of further changes. Idempotent.
  @Override
  public void close() {
    table.release(this);
  }
}
