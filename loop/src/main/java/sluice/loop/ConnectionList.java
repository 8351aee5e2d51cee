package sluice.loop;

import org.jspecify.annotations.Nullable;

/// Connections in the order in which they were added, linked through their own fields: adding and
/// removing take constant time and allocate nothing. A connection is in one list at most. Owned by
/// the loop's thread.
final class ConnectionList {
  private @Nullable Connection first;
  private @Nullable Connection last;
  private int size;

  int size() {
    return size;
  }

  /// The connection that has been in the list longest; null when the list is empty.
  @Nullable Connection first() {
    return first;
  }

  @SuppressWarnings("ReferenceEquality") // a list is itself only
  boolean contains(Connection connection) {
    return connection.list == this;
  }

  void add(Connection connection) {
    assert connection.list == null;
    connection.list = this;
    connection.listPrevious = last;
    if (last == null) {
      first = connection;
    } else {
      last.listNext = connection;
    }
    last = connection;
    size++;
  }

  /// Does nothing when the connection is not in this list.
  void remove(Connection connection) {
    if (!contains(connection)) {
      return;
    }
    Connection previous = connection.listPrevious;
    Connection next = connection.listNext;
    if (previous == null) {
      first = next;
    } else {
      previous.listNext = next;
    }
    if (next == null) {
      last = previous;
    } else {
      next.listPrevious = previous;
    }
    connection.list = null;
    connection.listPrevious = null;
    connection.listNext = null;
    size--;
  }
}
