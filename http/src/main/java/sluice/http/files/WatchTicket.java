package sluice.http.files;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The dependence of one answer on names beneath the root. It falls, for good, when any of them may
/// have changed; [WatchTable#drain] tells the owner of the table once.
///
/// Made by the thread that fills, before it examines any file; passed with the answer to the owner
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

  /// Returns true if a change was drained, or the watch was given up. While this is false and all
  /// queued events are drained, data read after the ticket was made is current.
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

  /// Returns the object by which the owner finds its cache entry again.
  public @Nullable Object attachment() {
    return attachment;
  }

  public void attach(@Nullable Object value) {
    attachment = value;
  }

  /// Ends the dependence; the owner receives no more changes. Idempotent.
  @Override
  public void close() {
    table.release(this);
  }
}
