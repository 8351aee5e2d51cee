package sluice.bench.packets;

import java.util.List;

/// A case of `bench xdp`. Immutable.
///
/// @param way the behaviour of an end without input, `spin` or `wait`; `sum` if no packet moves
/// @param bytes of a datagram, or to be summed
/// @param window datagrams that are under way at one time
record PacketCase(String name, String way, int bytes, int window) {
  static final String SUM = "sum";
  private static final String SPIN = "spin";

  static final List<PacketCase> ALL =
      List.of(
          new PacketCase("round trip 64 B", SPIN, 64, 1),
          new PacketCase("round trip 1400 B", SPIN, 1400, 1),
          new PacketCase("echo 64 B, 32 in flight", SPIN, 64, 32),
          new PacketCase("round trip 64 B, ends sleep", "wait", 64, 1),
          new PacketCase("checksum 64 B", SUM, 64, 1),
          new PacketCase("checksum 1400 B", SUM, 1400, 1));

  /// Returns the systems of the case, Sluice's first.
  List<String> systems() {
    return way.equals(SUM)
        ? List.of(ChecksumLoop.SUM, ChecksumLoop.COPY, ChecksumLoop.WORDS)
        : List.of(
            PacketBench.XDP,
            "c/xdp-sums",
            "c/xdp",
            PacketBench.CHANNEL,
            "c/recvmmsg",
            "c/io_uring");
  }

  /// Returns the command for the client.
  String question(String system, double seconds) {
    long millis = Math.round(seconds * 1e3);
    return way.equals(SUM)
        ? "sum %s %d %d".formatted(system, bytes, millis)
        : "measure %s %s %d %d %d".formatted(system, way, bytes, window, millis);
  }
}
