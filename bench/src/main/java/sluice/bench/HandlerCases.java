package sluice.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import sluice.bench.cases.BenchCase;
import sluice.bench.cases.RequestMix;
import sluice.bench.run.LoadSpec;
import sluice.bench.run.Peers;
import sluice.bench.run.ServerSpec;
import sluice.bench.run.Sites;
import sluice.bench.run.Systems;
import sluice.bench.server.HandlerServer;
import sluice.testbase.FreePort;

/// The cases of `sluice bench handler`. In most, a tenth of all requests makes its handler spin for
/// some microseconds, on the loop's own thread or in a pool. In the others all handlers are short,
/// while slow jobs saturate the same core or slow clients keep the server busy. Stateless.
final class HandlerCases {
  private static final int CONNECTIONS = 64;
  private static final double LONG_SHARE = 0.1;

  /// The requests per second, with which handlers of 500 us take half of a core.
  private static final int RATE = 10_000;

  static final String INLINE = "sluice/inline";
  static final String HANDED_OFF = "sluice/long-ones-handed-off";

  /// The number of slow jobs, which together take the rest of the core.
  private static final int JOBS = 4;

  private static final int SLOW_CLIENTS = 1_000;
  private static final String BESIDE_JOBS = "0us at 2k/s beside slow work";
  private static final String BESIDE_SLOW = "0us at 10k/s beside 1000 slow clients";

  private static final List<Integer> MICROS = List.of(0, 10, 25, 50, 100, 250, 500);

  private HandlerCases() {}

  static List<BenchCase> all() {
    List<BenchCase> cases = new ArrayList<>();
    for (int micros : MICROS) {
      cases.add(of(name(micros), new Ways(micros, 0), RATE, 0));
    }
    cases.add(of("0us at peak", new Ways(0, 0), 0, 0));
    cases.add(of(BESIDE_JOBS, new Ways(0, JOBS), RATE / 5, 0));
    cases.add(of(BESIDE_SLOW, new Ways(0, 0), RATE, SLOW_CLIENTS));
    return cases;
  }

  private static String name(int micros) {
    return micros + "us at " + RATE / 1000 + "k/s";
  }

  /// Returns how long the handlers of a case spin; -1 for the case at its peak.
  static int micros(String name) {
    return MICROS.stream().filter(m -> name.equals(name(m))).findFirst().orElse(-1);
  }

  private static BenchCase of(String name, Ways ways, int rate, int slow) {
    return new BenchCase(
        name,
        ways,
        ways.micros == 100,
        0,
        0,
        Sites::small,
        (server, root, harness) ->
            LoadSpec.http(CONNECTIONS, 1, mix(harness.workspace().temporary("mix-handler")))
                .withRate(rate)
                .withSlow(slow));
  }

  static Path mix(Path into) throws IOException {
    RequestMix mix = new RequestMix();
    byte[] ordinary = HandlerServer.request("/o");
    byte[] spinning = HandlerServer.request("/l");
    mix.add(1 - LONG_SHARE, ordinary, 200, HandlerServer.BODY, "ordinary");
    mix.add(LONG_SHARE, spinning, 200, HandlerServer.BODY, "long");
    return mix.write(into);
  }

  /// A server whose requests are answered in different places.
  ///
  /// @param jobs slow jobs of a millisecond, each repeated without a pause, on the slow path
  private record Ways(int micros, int jobs) implements Peers {
    @Override
    public List<String> names() {
      return List.of(
          INLINE, HANDED_OFF, "sluice/virtual-threads", "sluice/on-loop-thread", "sluice/pool");
    }

    @Override
    public ServerSpec spec(Systems systems, String system, Path root) throws IOException {
      int port = FreePort.find();
      String way = system.substring(Systems.OURS.length());
      List<String> words =
          List.of(Integer.toString(port), way, Integer.toString(micros), Integer.toString(jobs));
      List<String> opens = List.of("--add-opens=java.base/java.lang=ALL-UNNAMED");
      return systems.java(system, opens, "server.HandlerServer", words, port);
    }
  }
}
