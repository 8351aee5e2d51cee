package sluice.loop.readiness;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// All descriptors a readiness engine knows, by number, and the list of those whose registration
/// may have to change. Owned by the engine's thread.
final class ReadinessTable {
  private final int maxSockets;
  private @Nullable ReadinessSocket[] sockets = new @Nullable ReadinessSocket[64];
  private ReadinessSocket[] changed = new ReadinessSocket[64];
  private int changes;
  private int open;

  /// @param maxSockets most sockets open at one time
  ReadinessTable(int maxSockets) {
    this.maxSockets = maxSockets;
  }

  /// Whether one socket more would be too many.
  boolean full() {
    return open >= maxSockets;
  }

  /// One past the highest number in use.
  int limit() {
    return sockets.length;
  }

  /// The entry of a number that may be new.
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

  /// The entry of a number, or null when there never was one.
  @Nullable ReadinessSocket find(int number) {
    return number >= 0 && number < sockets.length ? sockets[number] : null;
  }

  /// The entry of an open socket of ours, or null.
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

  /// Notes that what `socket` waits for may have changed.
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
