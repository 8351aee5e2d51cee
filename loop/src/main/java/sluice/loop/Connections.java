package sluice.loop;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Token;

/// The table of a loop's connections, which are identified by the index and generation in their
/// tokens. Owned by the loop's thread. [Admission] limits the number of connections.
final class Connections {
  private @Nullable Connection[] table = new Connection[64];
  private int[] generations = new int[64];
  private int[] free = new int[64];
  private int freeCount;
  private int count;

  Connections() {
    for (int i = table.length - 1; i >= 0; i--) {
      free[freeCount++] = i;
    }
  }

  /// Returns the number of places, both occupied and free.
  int capacity() {
    return table.length;
  }

  /// Returns the connection at an index, or null if the place is free.
  @Nullable Connection at(int index) {
    return table[index];
  }

  int count() {
    return count;
  }

  /// Returns the connection that a completion belongs to, or null if it has left the table.
  @Nullable Connection get(long token) {
    Connection connection = table[Token.index(token)];
    return connection != null && connection.generation == Token.generation(token)
        ? connection
        : null;
  }

  Connection add(ConnectionParts parts, Listener listener, int socket) {
    if (freeCount == 0) {
      grow();
    }
    int index = free[--freeCount];
    long place = Token.of(0, generations[index], index);
    Connection connection =
        new Connection(parts, listener.protocol, listener.tls, listener.transport, socket, place);
    table[index] = connection;
    count++;
    return connection;
  }

  void remove(Connection connection) {
    int index = connection.index;
    assert table[index] == connection;
    table[index] = null;
    generations[index] = Token.nextGeneration(generations[index]);
    free[freeCount++] = index;
    count--;
  }

  /// Calls the visitor with every connection. The visitor may remove the current connection.
  void forEach(Consumer<Connection> visitor) {
    for (Connection connection : table.clone()) {
      if (connection != null) {
        visitor.accept(connection);
      }
    }
  }

  private void grow() {
    int before = table.length;
    int after = before * 2;
    table = java.util.Arrays.copyOf(table, after);
    generations = java.util.Arrays.copyOf(generations, after);
    free = new int[after];
    for (int i = after - 1; i >= before; i--) {
      free[freeCount++] = i;
    }
  }
}
