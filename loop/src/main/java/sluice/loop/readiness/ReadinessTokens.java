package sluice.loop.readiness;

/// A map from the tokens of armed operations to their sockets, for cancelling. Owned by the
/// engine's thread. Open addressing with linear probing; token 0 marks a free slot.
///
/// Only operations that stay armed across turns are entered, so that a steady echo never touches
/// the map.
final class ReadinessTokens {
  private static final int NONE = -1;

  private long[] tokens = new long[64];
  private int[] sockets = new int[64];
  private int count;

  void put(long token, int socket) {
    if (2 * (count + 1) > tokens.length) {
      grow();
    }
    int at = find(token);
    if (tokens[at] == 0) {
      count++;
    }
    tokens[at] = token;
    sockets[at] = socket;
  }

  /// Returns the socket of a token.
  ///
  /// @return the socket, or -1
  int get(long token) {
    int at = find(token);
    return tokens[at] == 0 ? NONE : sockets[at];
  }

  void remove(long token) {
    int hole = find(token);
    if (tokens[hole] == 0) {
      return;
    }
    count--;
    int mask = tokens.length - 1;
    // Moves later entries of the run into the hole, unless they would land before their home.
    for (int at = (hole + 1) & mask; tokens[at] != 0; at = (at + 1) & mask) {
      int distance = (at - home(tokens[at])) & mask;
      if (distance >= ((at - hole) & mask)) {
        tokens[hole] = tokens[at];
        sockets[hole] = sockets[at];
        hole = at;
      }
    }
    tokens[hole] = 0;
  }

  private int find(long token) {
    int mask = tokens.length - 1;
    int at = home(token);
    while (tokens[at] != 0 && tokens[at] != token) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private int home(long token) {
    long mixed = token * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 32) & (tokens.length - 1);
  }

  private void grow() {
    long[] oldTokens = tokens;
    int[] oldSockets = sockets;
    tokens = new long[2 * oldTokens.length];
    sockets = new int[2 * oldTokens.length];
    for (int i = 0; i < oldTokens.length; i++) {
      if (oldTokens[i] != 0) {
        int at = find(oldTokens[i]);
        tokens[at] = oldTokens[i];
        sockets[at] = oldSockets[i];
      }
    }
  }
}
