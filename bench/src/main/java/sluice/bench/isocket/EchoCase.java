package sluice.bench.isocket;

import java.util.ArrayList;
import java.util.List;

/// A case of `bench isocket`. Immutable.
///
/// @param place the location of client and server
/// @param stream true if messages follow each other without waiting for echoes
/// @param bytes of a message
record EchoCase(Place place, boolean stream, int bytes) {
  /// The location of the two ends.
  enum Place {
    LOOPBACK,
    VETH;

    @Override
    public String toString() {
      return this == LOOPBACK ? "loopback" : "veth";
    }
  }

  /// The sizes of messages, from one byte to a megabyte.
  private static final List<Integer> SIZES = List.of(1, 64, 1 << 10, 16 << 10, 64 << 10, 1 << 20);

  static List<EchoCase> all() {
    List<EchoCase> cases = new ArrayList<>();
    for (Place place : Place.values()) {
      for (boolean stream : List.of(false, true)) {
        for (int bytes : SIZES) {
          cases.add(new EchoCase(place, stream, bytes));
        }
      }
    }
    return cases;
  }

  String name() {
    return place + (stream ? " stream " : " round trip ") + size();
  }

  private String size() {
    if (bytes >= 1 << 20) {
      return (bytes >> 20) + "MB";
    }
    return bytes >= 1 << 10 ? (bytes >> 10) + "KB" : bytes + "B";
  }

  boolean quick() {
    return bytes == 64 || (bytes == 64 << 10 && place == Place.LOOPBACK);
  }
}
