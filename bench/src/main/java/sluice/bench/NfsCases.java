package sluice.bench;

import java.util.ArrayList;
import java.util.List;

/// The cases of `sluice bench nfs`. Stateless.
///
/// A case says what durability it asks for: writes are UNSTABLE unless the name says `sync`
/// (FILE_SYNC), and CREATE and REMOVE are stable before their answer where the server keeps to RFC
/// 1813; the null server keeps nothing, and so do not the Go servers, which export memory.
final class NfsCases {
  private static final int KB = 1 << 10;

  private NfsCases() {}

  static List<BenchCase> all() {
    List<BenchCase> cases = new ArrayList<>();
    cases.add(of("getattr c1 d16", 1, 16, NfsLoad.of("getattr", 0), true));
    cases.add(of("getattr c1 d1", 1, 1, NfsLoad.of("getattr", 0), false));
    cases.add(of("getattr c4 d16", 4, 16, NfsLoad.of("getattr", 0), false));
    cases.add(of("getattr c4 d64", 4, 64, NfsLoad.of("getattr", 0), false));
    cases.add(of("getattr udp c1 d16", 1, 16, NfsLoad.of("getattr", 0).overUdp(), false));
    cases.add(of("lookup c1 d16", 1, 16, NfsLoad.of("lookup", 0), false));
    cases.add(of("access c1 d16", 1, 16, NfsLoad.of("access", 0), false));
    cases.add(of("read 4KB c1 d16", 1, 16, NfsLoad.of("read", 4 * KB), false));
    cases.add(of("read 64KB c1 d16", 1, 16, NfsLoad.of("read", 64 * KB), true));
    cases.add(of("read 1MB c1 d8", 1, 8, NfsLoad.of("read", KB * KB), false));
    cases.add(of("read 32KB udp c1 d4", 1, 4, NfsLoad.of("read", 32 * KB).overUdp(), false));
    cases.add(of("write 64KB c1 d16", 1, 16, NfsLoad.of("write", 64 * KB), false));
    cases.add(of("write 1MB c1 d8", 1, 8, NfsLoad.of("write", KB * KB), false));
    cases.add(of("write 64KB sync c1 d16", 1, 16, NfsLoad.of("write", 64 * KB).stably(), false));
    cases.add(of("metadata c1 d1", 1, 1, NfsLoad.of("metadata", 0), false));
    cases.add(of("metadata c4 d16", 4, 16, NfsLoad.of("metadata", 0), true));
    return List.copyOf(cases);
  }

  private static BenchCase of(
      String name, int connections, int depth, NfsLoad load, boolean quick) {
    return new BenchCase(
        name,
        new NfsPeers(load.udp()),
        quick,
        0,
        0,
        sites -> NfsPeers.folder(sites.cache()),
        (server, root, harness) ->
            LoadSpec.nfs(connections, depth, NfsPeers.aimed(load, server.spec())));
  }
}
