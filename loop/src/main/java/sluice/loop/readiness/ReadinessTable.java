package sluice.loop.readiness;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The table of all descriptors of a readiness engine by number, and the list of those whose
/// registration may have to be changed. Owned by the engine's thread.
final class ReadinessTable {
  private final int maxSockets;
  private @Nullable ReadinessSocket[] sockets = new @Nullable ReadinessSocket[64];
  private ReadinessSocket[] changed = new ReadinessSocket[64];
  private int changes;
  private int open;

  /// @param maxSockets the maximum number of open sockets
  ReadinessTable(int maxSockets) {
    this.maxSockets = maxSockets;
  }

  /// Returns true if no further socket may be opened.
  boolean full() {
    return open >= maxSockets;
  }

  /// Returns an exclusive upper bound on the numbers in use.
  int limit() {
    return sockets.length;
  }

  /// Returns the entry of a number, which is created if it does not exist.
  ReadinessSocket entry(int number) {
    if (number >= sockets.length) {
      sockets = Arrays.copyOf(sockets, Math.max(number + 1, 2 * sockets.length));
    }
    ReadinessSocket socket = sockets[number];
    if (socket == null) {
      socket = new ReadinessSocket(number);
      sockets[number] = socket;
    }
    return socket;
  }

  /// Returns the entry of a number, or null if it has never existed.
  @Nullable ReadinessSocket find(int number) {
    return number >= 0 && number < sockets.length ? sockets[number] : null;
  }

  /// Returns the entry of an open socket of the engine, or null if there is none.
  @Nullable ReadinessSocket findOpen(int number) {
    ReadinessSocket socket = find(number);
    return socket != null && socket.owned ? socket : null;
  }

  ReadinessSocket opened(int number, boolean listener) {
    ReadinessSocket socket = entry(number);
    socket.open(listener);
    open++;
    return socket;
  }

  void closed(ReadinessSocket socket) {
    socket.reset();
    open--;
  }

  /// Records that the events awaited on `socket` may have changed.
  void changed(ReadinessSocket socket) {
    if (socket.changed) {
      return;
    }
    if (changes == changed.length) {
      changed = Arrays.copyOf(changed, 2 * changes);
    }
    socket.changed = true;
    changed[changes++] = socket;
  }

  int changes() {
    return changes;
  }

  ReadinessSocket change(int index) {
    return changed[index];
  }

  void clearChanges() {
    for (int i = 0; i < changes; i++) {
      changed[i].changed = false;
    }
    changes = 0;
  }
}
