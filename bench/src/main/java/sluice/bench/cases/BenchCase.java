package sluice.bench.cases;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import sluice.bench.run.Harness;
import sluice.bench.run.LoadSpec;
import sluice.bench.run.Peers;
import sluice.bench.run.Role;
import sluice.bench.run.Server;
import sluice.bench.run.Sites;

/// A case of a bench: the files to serve and the load. Immutable.
///
/// @param name as in results
/// @param peers the systems of the case
/// @param quick true if `--quick` runs it
/// @param bytesPerRequest if positive, requests are counted by body bytes, see `LoadResult`
/// @param idle idle connections; each system is then also measured without them
/// @param site the files that the servers serve
/// @param load makes the load for one server
public record BenchCase(
    String name, Peers peers, boolean quick, long bytesPerRequest, int idle, Site site, Load load) {
  private static final long SEED = 20_26;
  private static final int QUICK_FILES = 300;

  /// Finds or makes the folder to serve.
  public interface Site {
    Path root(Sites sites) throws IOException;
  }

  /// Makes the load for a running server; for files it first sends requests to the server.
  public interface Load {
    LoadSpec of(Server server, Path root, Harness harness) throws IOException;
  }

  // ---- the benches --------------------------------------------------------------------------

  public static List<BenchCase> echoCases() {
    return List.of(
        echo(64, 1, true), echo(1 << 10, 1, false), echo(16 << 10, 1, false), echo(64, 16, false));
  }

  public static List<BenchCase> httpCases() {
    return List.of(
        small(1, true),
        small(16, false),
        tls(),
        documentation(),
        openLoop(20_000),
        slowLoris(1000));
  }

  public static List<BenchCase> idleCases() {
    return List.of(idle(8000), idle(1000));
  }

  public static List<BenchCase> fileCases() {
    return List.of(
        file("1MB c16 d1", 1 << 20, 16, true, Sites::large, "/1m.bin"),
        file("100MB c4 d1", 100 << 20, 4, false, Sites::huge, "/100m.bin"));
  }

  public static List<BenchCase> pollerCases() {
    return List.of(
        connections(1000, true),
        connections(4000, false),
        connections(8000, false),
        connections(16_000, false),
        pollerIdle(8000),
        pollerHttp(0),
        pollerHttp(5_000));
  }

  private static BenchCase echo(int bytes, int depth, boolean quick) {
    String size = bytes >= 1 << 10 ? (bytes >> 10) + "KB" : bytes + "B";
    return new BenchCase(
        size + " c64 d" + depth,
        Role.ECHO,
        quick,
        0,
        0,
        Sites::small,
        (server, root, harness) -> LoadSpec.echo(64, depth, bytes));
  }

  /// Returns a case of the Poller paper's table: every connection always has one message under way.
  private static BenchCase connections(int count, boolean quick) {
    return new BenchCase(
        "64B c" + count + " d1",
        Role.POLLER,
        quick,
        0,
        0,
        Sites::small,
        (server, root, harness) -> LoadSpec.echo(count, 1, 64));
  }

  private static BenchCase pollerIdle(int count) {
    return new BenchCase(
        count + " idle + 64 active",
        Role.POLLER,
        false,
        0,
        count,
        Sites::small,
        (server, root, harness) -> LoadSpec.echo(64, 1, 64).withIdle(count));
  }

  /// Returns a case with a server in both modes, at its peak or at a moderate rate of requests.
  private static BenchCase pollerHttp(int rate) {
    return new BenchCase(
        "1KB c2000 " + (rate == 0 ? "peak" : "at " + rate / 1000 + "k/s"),
        Role.POLLER_HTTP,
        false,
        0,
        0,
        Sites::small,
        (server, root, harness) ->
            LoadSpec.http(2000, 1, oneFile("/1k.txt", root, harness)).withRate(rate));
  }

  private static BenchCase small(int depth, boolean quick) {
    return new BenchCase(
        "1KB c64 d" + depth,
        Role.SMALL,
        quick,
        0,
        0,
        Sites::small,
        (server, root, harness) -> LoadSpec.http(64, depth, oneFile("/1k.txt", root, harness)));
  }

  /// Returns a case with TLS 1.3 and AES-128-GCM for all systems: the client offers nothing else.
  /// Handshakes are outside the measured window and sessions are not resumed.
  private static BenchCase tls() {
    return new BenchCase(
        "1KB tls c64 d1",
        Role.TLS,
        false,
        0,
        0,
        Sites::small,
        (server, root, harness) ->
            LoadSpec.http(64, 1, oneFile("/1k.txt", root, harness)).withTls());
  }

  /// Returns a case for latencies: requests are sent at fixed times, whatever the server does.
  private static BenchCase openLoop(int rate) {
    return new BenchCase(
        "1KB c64 at " + rate / 1000 + "k/s",
        Role.SMALL,
        false,
        0,
        0,
        Sites::small,
        (server, root, harness) ->
            LoadSpec.http(64, 1, oneFile("/1k.txt", root, harness)).withRate(rate));
  }

  /// Returns an open-loop case beside clients that never finish a request; the latencies show their
  /// cost.
  private static BenchCase slowLoris(int count) {
    return new BenchCase(
        "1KB c64 at 10k/s beside " + count + " slow",
        Role.SMALL,
        false,
        0,
        0,
        Sites::small,
        (server, root, harness) ->
            LoadSpec.http(64, 1, oneFile("/1k.txt", root, harness))
                .withRate(10_000)
                .withSlow(count));
  }

  private static BenchCase idle(int count) {
    return new BenchCase(
        count + " idle + 64 active",
        Role.SMALL,
        count == 1000,
        0,
        count,
        Sites::small,
        (server, root, harness) ->
            LoadSpec.http(64, 1, oneFile("/1k.txt", root, harness)).withIdle(count));
  }

  private static BenchCase file(
      String name, int bytes, int connections, boolean quick, Site site, String path) {
    return new BenchCase(
        name,
        Role.FILES,
        quick,
        bytes,
        0,
        site,
        (server, root, harness) -> LoadSpec.http(connections, 1, oneFile(path, root, harness)));
  }

  static Path oneFile(String path, Path root, Harness harness) throws IOException {
    byte[] body = java.nio.file.Files.readAllBytes(root.resolve(path.substring(1)));
    RequestMix mix = new RequestMix();
    mix.add(1, HttpProbe.request(path), 200, body);
    return mix.write(harness.workspace().temporary("mix-" + path.substring(1)));
  }

  private static BenchCase documentation() {
    return new BenchCase(
        "doc c64 d1",
        Role.SITE,
        false,
        0,
        0,
        Sites::documentation,
        (server, root, harness) -> {
          List<String> paths = Sites.byPopularity(root, SEED);
          if (harness.options().quick()) {
            paths = paths.subList(0, Math.min(QUICK_FILES, paths.size()));
          }
          int port = server.spec().port();
          Path file = harness.workspace().temporary("mix-" + port);
          return LoadSpec.http(64, 1, SiteMix.build(port, root, paths, file));
        });
  }
}
