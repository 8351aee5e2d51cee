package sluice.http;

import java.util.Arrays;
import java.util.List;
import sluice.http.text.Latin1;
import sluice.memory.View;

/// A map from the host name of a request to its virtual host. Immutable except for its scratch
/// buffer; owned by the loop's thread.
///
/// The map is a hash table with open addressing whose keys are the bytes of the lower-case names.
/// The name in a request is first normalized by removing the port and a trailing dot and by
/// converting it to lower case. A look-up allocates nothing.
final class HostNames {
  private static final int NONE = -1;
  private static final int LONGEST = 255;

  private final byte[][] names;
  private final int[] hosts;
  private final byte[] scratch = new byte[LONGEST + 1];

  /// @throws IllegalArgumentException if two hosts have the same name
  HostNames(List<VirtualHost> all) {
    int count = all.stream().mapToInt(host -> host.names().size()).sum();
    int size = Integer.highestOneBit(Math.max(1, count)) << 2;
    names = new byte[size][];
    hosts = new int[size];
    for (int i = 0; i < all.size(); i++) {
      for (String name : all.get(i).names()) {
        add(Latin1.bytes(name.startsWith("*.") ? name.substring(1) : name), i, name);
      }
    }
  }

  private void add(byte[] name, int host, String shown) {
    int slot = slot(name, 0, name.length);
    while (names[slot] != null) {
      if (Arrays.equals(names[slot], name)) {
        throw new IllegalArgumentException("two virtual hosts are named " + shown);
      }
      slot = (slot + 1) & (names.length - 1);
    }
    names[slot] = name;
    hosts[slot] = host;
  }

  /// Returns the index of the host with the given name, or -1 if there is none.
  ///
  /// @param from the start of the host, which may include a port and has been validated by
  ///   [sluice.http.parse.HttpRequest]
  int find(View view, int from, int to) {
    int length = canonical(view, from, to);
    int at = 0;
    int found = length == 0 ? NONE : get(0, length);
    // Wildcards are stored with their leading dot, and no other name begins with a dot.
    while (found == NONE && at < length) {
      at++;
      if (at < length && scratch[at] == '.') {
        found = get(at, length);
      }
    }
    return found;
  }

  private int canonical(View view, int from, int to) {
    int length = 0;
    boolean bracket = from < to && view.get(from) == '[';
    for (int i = from; i < to; i++) {
      byte b = view.get(i);
      if (length > LONGEST - 1 || (b == ':' && !bracket)) {
        break;
      }
      scratch[length++] = b >= 'A' && b <= 'Z' ? (byte) (b + 32) : b;
      if (b == ']') {
        break;
      }
    }
    return length > 1 && scratch[length - 1] == '.' ? length - 1 : length;
  }

  private int get(int from, int to) {
    int slot = slot(scratch, from, to);
    while (names[slot] != null) {
      byte[] name = names[slot];
      if (Arrays.equals(name, 0, name.length, scratch, from, to)) {
        return hosts[slot];
      }
      slot = (slot + 1) & (names.length - 1);
    }
    return NONE;
  }

  private int slot(byte[] bytes, int from, int to) {
    int hash = to - from;
    for (int i = from; i < to; i++) {
      hash = hash * 31 + bytes[i];
    }
    return (hash ^ (hash >>> 15)) & (names.length - 1);
  }
}
