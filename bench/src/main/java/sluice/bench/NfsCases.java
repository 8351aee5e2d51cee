package sluice.bench;

import java.util.ArrayList;
import java.util.List;
import sluice.bench.cases.BenchCase;
import sluice.bench.run.LoadSpec;
import sluice.bench.run.NfsLoad;
import sluice.bench.run.NfsPeers;

/// The cases of `sluice bench nfs`. Stateless.
///
/// `c` is the number of connections, `d` the calls in flight on each. Writes are UNSTABLE unless
/// the name says `sync` (FILE_SYNC); [NfsPeers#durability] says where each system has stored a
/// change when it answers.
final class NfsCases {
  private static final int KB = 1 << 10;
  private static final int[] IN_FLIGHT = {1, 4, 16, 64};
  private static final String OVER_TIME = "timeline ";

  private NfsCases() {}

  static List<BenchCase> all() {
    List<BenchCase> cases = new ArrayList<>();
    NfsLoad getattr = NfsLoad.of("getattr", 0);
    NfsLoad metadata = NfsLoad.of("metadata", 0);
    inFlight(cases, "getattr c1", getattr);
    cases.add(of("getattr c4 d16", 4, 16, getattr));
    cases.add(of("getattr c4 d64", 4, 64, getattr));
    inFlight(cases, "getattr udp c1", getattr.overUdp());
    cases.add(of("lookup c1 d16", 1, 16, NfsLoad.of("lookup", 0)));
    cases.add(of("access c1 d16", 1, 16, NfsLoad.of("access", 0)));
    inFlight(cases, "read 64KB c1", NfsLoad.of("read", 64 * KB));
    cases.add(of("read 4KB c1 d16", 1, 16, NfsLoad.of("read", 4 * KB)));
    cases.add(of("read 1MB c1 d8", 1, 8, NfsLoad.of("read", KB * KB)));
    datagrams(cases, "read 32KB udp c1", NfsLoad.of("read", 32 * KB).overUdp());
    inFlight(cases, "write 64KB c1", NfsLoad.of("write", 64 * KB));
    cases.add(of("write 1MB c1 d8", 1, 8, NfsLoad.of("write", KB * KB)));
    cases.add(of("write 64KB sync c1 d16", 1, 16, NfsLoad.of("write", 64 * KB).stably()));
    datagrams(cases, "write 32KB udp c1", NfsLoad.of("write", 32 * KB).overUdp());
    inFlight(cases, "metadata c1", metadata);
    cases.add(of("metadata c4 d16", 4, 16, metadata));
    datagrams(cases, "metadata udp c1", metadata.overUdp());
    cases.add(of(OVER_TIME + "getattr c1 d16", 1, 16, getattr));
    cases.add(of(OVER_TIME + "metadata c4 d16", 4, 16, metadata));
    return List.copyOf(cases);
  }

  /// Returns true if a case is one long run that is drawn over time.
  static boolean isOverTime(BenchCase one) {
    return one.name().startsWith(OVER_TIME);
  }

  private static void inFlight(List<BenchCase> cases, String name, NfsLoad load) {
    for (int depth : IN_FLIGHT) {
      cases.add(of(name + " d" + depth, 1, depth, load));
    }
  }

  /// Adds as many calls in flight as the kernel's buffers of a socket hold.
  private static void datagrams(List<BenchCase> cases, String name, NfsLoad load) {
    cases.add(of(name + " d1", 1, 1, load));
    cases.add(of(name + " d4", 1, 4, load));
  }

  private static BenchCase of(String name, int connections, int depth, NfsLoad load) {
    return new BenchCase(
        name,
        new NfsPeers(load),
        name.endsWith("getattr c1 d16") || name.equals("metadata c4 d16"),
        0,
        0,
        sites -> NfsPeers.folder(sites.cache()),
        (server, root, harness) ->
            LoadSpec.nfs(connections, depth, NfsPeers.aimed(load, server.spec())));
  }
}
