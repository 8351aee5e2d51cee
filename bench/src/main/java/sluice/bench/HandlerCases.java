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

/// The cases of `sluice bench handler`: a tenth of all requests makes its handler spin for some
/// microseconds, on the loop's own thread or in a pool. Stateless.
final class HandlerCases {
  private static final int CONNECTIONS = 64;
  private static final double LONG_SHARE = 0.1;

  /// Requests a second: handlers of 500 us then take half of a core.
  private static final int RATE = 10_000;

  private static final List<Integer> MICROS = List.of(0, 10, 25, 50, 100, 250, 500);

  private HandlerCases() {}

  static List<BenchCase> all() {
    List<BenchCase> cases = new ArrayList<>();
    for (int micros : MICROS) {
      cases.add(of(name(micros), micros, RATE));
    }
    cases.add(of("0us at peak", 0, 0));
    return cases;
  }

  private static String name(int micros) {
    return micros + "us at " + RATE / 1000 + "k/s";
  }

  /// How long the handlers of a case spin; -1 for the case at its peak.
  static int micros(String name) {
    return MICROS.stream().filter(m -> name.equals(name(m))).findFirst().orElse(-1);
  }

  private static BenchCase of(String name, int micros, int rate) {
    return new BenchCase(
        name,
        new Ways(micros),
        micros == 100,
        0,
        0,
        Sites::small,
        (server, root, harness) ->
            LoadSpec.http(CONNECTIONS, 1, mix(harness.workspace().temporary("mix-handler")))
                .withRate(rate));
  }

  static Path mix(Path into) throws IOException {
    RequestMix mix = new RequestMix();
    byte[] ordinary = HandlerServer.request("/o");
    byte[] spinning = HandlerServer.request("/l");
    mix.add(1 - LONG_SHARE, ordinary, 200, HandlerServer.BODY, "ordinary");
    mix.add(LONG_SHARE, spinning, 200, HandlerServer.BODY, "long");
    return mix.write(into);
  }

  /// One server, whose requests are answered in different places.
  private record Ways(int micros) implements Peers {
    @Override
    public List<String> names() {
      return List.of(
          "sluice/inline", "sluice/long-ones-handed-off", "sluice/virtual-threads", "sluice/pool");
    }

    @Override
    public ServerSpec spec(Systems systems, String system, Path root) throws IOException {
      int port = FreePort.find();
      String way = system.substring(Systems.OURS.length());
      List<String> words = List.of(Integer.toString(port), way, Integer.toString(micros));
      return systems.java(system, List.of(), "server.HandlerServer", words, port);
    }
  }
}
