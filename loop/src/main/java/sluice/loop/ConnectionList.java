package sluice.loop;

import org.jspecify.annotations.Nullable;

/// A list of connections in insertion order, linked through fields of the connections. Adding and
/// removing take constant time and allocate nothing. A connection is in at most one list. Owned by
/// the loop's thread.
final class ConnectionList {
  private @Nullable Endpoint first;
  private @Nullable Endpoint last;
  private int size;

  int size() {
    return size;
  }

  /// Returns the connection that has been in the list longest, or null if the list is empty.
  @Nullable Endpoint first() {
    return first;
  }

  @SuppressWarnings("ReferenceEquality") // a list is itself only
  boolean contains(Endpoint connection) {
    return connection.list == this;
  }

  void add(Endpoint connection) {
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

  /// Removes a connection. Has no effect if it is not in this list.
  void remove(Endpoint connection) {
    if (!contains(connection)) {
      return;
    }
    Endpoint previous = connection.listPrevious;
    Endpoint next = connection.listNext;
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
