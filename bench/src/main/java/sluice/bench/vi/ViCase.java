package sluice.bench.vi;

import java.util.ArrayList;
import java.util.List;

/// A kind of exchange with messages of one length. Immutable.
///
/// @param kind the command for both ends
/// @param quick true if `--quick` runs it
/// @param systems Sluice's first
record ViCase(String name, String kind, int bytes, boolean quick, List<String> systems) {
  static final String ROUND_TRIP = "rtt";
  static final String STREAM = "stream";
  static final String REGISTER = "register";

  /// The longest message.
  static final int MOST_BYTES = 1 << 20;

  /// The suffix for Level I; without it, a system uses Level II.
  static final String LEVEL_ONE = " level-1";

  /// The suffix for registering a message before each send and unregistering it after it.
  static final String PINNED = " pin-per-send";

  static final String HYBRID = " hybrid";
  static final String PARK = " park";

  static final String LOCAL = "sluice/local";
  static final String OFI_SHM = "sluice/ofi-shm";
  static final String OFI_TCP = "sluice/ofi-tcp";
  static final String RING = "sluice/ring";
  static final String XDP = "sluice/xdp";

  /// The suffix for a connection between two network namespaces, as [#XDP] always has.
  static final String VETH = " veth";

  static final String COPY = "sluice/copy";
  static final String C = "c/";
  static final String C_SHM = "c/ofi-shm";
  static final String C_TCP = "c/ofi-tcp";

  /// The suffix for a second thread, with which the C library's locks cost as much as in a JVM.
  static final String THREADS = " threads";

  static final String C_UNIX = "c/unix";
  static final String C_SOCKET = "c/tcp-socket";
  static final String C_LINE = "c/line";
  static final String C_MLOCK = "c/mlock";
  static final String C_BUFFERS = "c/io_uring-buffers";
  static final String AERON = "aeron/";
  static final String AERON_IPC = "aeron/ipc";
  static final String AERON_UDP = "aeron/udp";

  private static final List<String> EXCHANGES =
      List.of(
          LOCAL,
          LOCAL + LEVEL_ONE,
          OFI_SHM,
          OFI_SHM + LEVEL_ONE,
          OFI_SHM + PINNED,
          OFI_TCP,
          OFI_TCP + LEVEL_ONE,
          OFI_TCP + PINNED,
          RING,
          RING + VETH,
          XDP,
          C_SHM,
          C_SHM + THREADS,
          C_TCP,
          C_TCP + THREADS,
          C_UNIX,
          C_SOCKET,
          C_LINE,
          AERON_IPC,
          AERON_UDP);
  private static final List<String> WAITING =
      List.of(
          LOCAL,
          LOCAL + HYBRID,
          LOCAL + PARK,
          OFI_SHM + HYBRID,
          OFI_SHM + PARK,
          RING,
          RING + HYBRID,
          C_UNIX);
  private static final List<String> REGISTRATIONS =
      List.of(COPY, LOCAL, OFI_SHM, OFI_TCP, C_MLOCK, C_BUFFERS);
  private static final int[] LENGTHS = {4, 64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, MOST_BYTES};

  static List<ViCase> all() {
    List<ViCase> all = new ArrayList<>();
    for (int bytes : LENGTHS) {
      boolean quick = bytes == 4 || bytes == 4 << 10;
      all.add(new ViCase("round trip " + length(bytes), ROUND_TRIP, bytes, quick, EXCHANGES));
    }
    for (int bytes : LENGTHS) {
      boolean quick = bytes == 4 << 10;
      all.add(new ViCase("stream " + length(bytes), STREAM, bytes, quick, EXCHANGES));
    }
    all.add(new ViCase("waiting 64B", ROUND_TRIP, 64, false, WAITING));
    for (int bytes : new int[] {1 << 10, 4 << 10, 64 << 10, 256 << 10, MOST_BYTES}) {
      all.add(new ViCase("register " + length(bytes), REGISTER, bytes, false, REGISTRATIONS));
    }
    return List.copyOf(all);
  }

  static String length(int bytes) {
    return bytes < 1 << 10
        ? bytes + "B"
        : bytes < 1 << 20 ? (bytes >> 10) + "KB" : (bytes >> 20) + "MB";
  }
}
