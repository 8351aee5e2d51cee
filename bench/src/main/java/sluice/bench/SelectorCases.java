package sluice.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import sluice.bench.cases.BenchCase;
import sluice.bench.cases.HttpProbe;
import sluice.bench.cases.RequestMix;
import sluice.bench.cases.SelectorSystems;
import sluice.bench.run.Harness;
import sluice.bench.run.LoadSpec;
import sluice.bench.run.Peers;
import sluice.bench.run.Sites;
import sluice.bench.server.AppServer;
import sluice.bench.server.SelectorServer;

/// The cases of `sluice bench selector`: a grid of protocol, size, connections and load; a sweep of
/// the busy fraction; toggling keys at rates below the peak; and three real servers. Stateless.
final class SelectorCases {
  /// The greatest number of busy connections in a mostly idle case.
  private static final int FEW = 64;

  /// The requests per second of a single mostly idle connection.
  private static final int IDLE_RATE = 1000;

  private static final int SWEEP_CONNECTIONS = 8000;

  private static final int RATE_CONNECTIONS = 1280;
  private static final List<Integer> RATES_K = List.of(10, 20, 40, 80);

  private static final List<Integer> CONNECTIONS = List.of(1, 64, 1280, 8000);
  private static final List<Integer> SIZES = List.of(64, 4 << 10, 64 << 10);
  private static final List<Integer> BUSY_PERCENT = List.of(1, 2, 5, 10, 25, 50, 75, 100);

  /// The flags of jdk.httpserver, which by default closes idle connections above 200.
  private static final List<String> HTTP_SERVER =
      List.of(
          "-Dsun.net.httpserver.nodelay=true",
          "-Dsun.net.httpserver.maxIdleConnections=20000",
          "-Dsun.net.httpserver.idleInterval=3600");

  private static final List<String> QUICK =
      List.of("sluice/completion", "sluice/readiness", "jdk-epoll");

  /// The ways in which the connections of a grid case are used.
  private enum Use {
    BUSY("kept"),
    IDLE("kept"),
    TOGGLING("switched"),
    CANCELLING("cancelled");

    final String interest;

    Use(String interest) {
      this.interest = interest;
    }
  }

  private SelectorCases() {}

  static List<BenchCase> all() {
    List<BenchCase> cases = new ArrayList<>();
    for (String protocol : List.of("echo", "http")) {
      for (Use use : Use.values()) {
        for (int connections : CONNECTIONS) {
          for (int bytes : SIZES) {
            cases.add(grid(protocol, use, connections, bytes));
          }
        }
      }
    }
    for (int percent : BUSY_PERCENT) {
      cases.add(sweep(percent));
    }
    for (int rate : RATES_K) {
      cases.add(atRate(rate));
    }
    for (String app : List.of("tomcat", "jetty", "httpserver")) {
      for (int connections : List.of(64, 1280)) {
        cases.add(application(app, connections));
      }
    }
    return cases;
  }

  /// Returns the percentage of a sweep case, over which it is plotted; -1 for other cases.
  static int busyPercent(String name) {
    return name.startsWith("sweep ")
        ? Integer.parseInt(name.substring("sweep ".length(), name.indexOf('%')))
        : -1;
  }

  private static BenchCase grid(String protocol, Use use, int connections, int bytes) {
    String size = bytes < 1 << 10 ? bytes + "B" : (bytes >> 10) + "KB";
    String name =
        "%s %s c%d %s".formatted(protocol, use.name().toLowerCase(Locale.ROOT), connections, size);
    boolean quick = name.equals("echo toggling c64 64B");
    Peers peers = server(protocol, bytes, use);
    return benchCase(
        name,
        peers,
        quick,
        harness -> {
          LoadSpec load =
              protocol.equals("echo")
                  ? LoadSpec.echo(connections, 1, bytes)
                  : LoadSpec.http(connections, 1, mix(harness, bytes));
          return use == Use.IDLE ? mostlyIdle(load) : load;
        });
  }

  private static LoadSpec mostlyIdle(LoadSpec all) {
    if (all.connections() == 1) {
      return all.withRate(IDLE_RATE);
    }
    int busy = Math.min(FEW, Math.max(1, all.connections() / 16));
    return all.withConnections(busy).withIdle(all.connections() - busy);
  }

  /// Returns a case with an echo of 64 bytes over 8000 connections, of which `percent` are busy.
  private static BenchCase sweep(int percent) {
    int busy = SWEEP_CONNECTIONS * percent / 100;
    return benchCase(
        "sweep " + percent + "% of c" + SWEEP_CONNECTIONS,
        server("echo", 64, Use.BUSY),
        false,
        harness -> LoadSpec.echo(busy, 1, 64).withIdle(SWEEP_CONNECTIONS - busy));
  }

  /// Returns a case with a toggling echo of 64 bytes, at `thousands` thousand requests a second.
  private static BenchCase atRate(int thousands) {
    return benchCase(
        "rate " + thousands + "k/s toggling c" + RATE_CONNECTIONS,
        server("echo", 64, Use.TOGGLING),
        false,
        harness -> LoadSpec.echo(RATE_CONNECTIONS, 1, 64).withRate(thousands * 1000.0));
  }

  private static BenchCase application(String app, int connections) {
    List<String> arguments = List.of(app);
    return benchCase(
        app + " c" + connections,
        new SelectorSystems("server.AppServer", arguments, flags(app), SelectorSystems.ALL, QUICK),
        app.equals("tomcat") && connections == 64,
        harness -> LoadSpec.http(connections, 1, mix(harness, AppServer.BODY_BYTES)));
  }

  /// Returns the JVM flags that an [AppServer] needs.
  static List<String> flags(String app) {
    return app.equals("httpserver") ? HTTP_SERVER : List.of();
  }

  private static Peers server(String protocol, int bytes, Use use) {
    List<String> arguments = List.of(protocol, Integer.toString(bytes), use.interest);
    return new SelectorSystems(
        "server.SelectorServer", arguments, List.of(), SelectorSystems.ALL, QUICK);
  }

  private static Path mix(Harness harness, int bytes) throws IOException {
    RequestMix mix = new RequestMix();
    mix.add(1, HttpProbe.request("/"), 200, SelectorServer.body(bytes));
    return mix.write(harness.workspace().temporary("mix-" + bytes));
  }

  /// Makes the load without a request to the server.
  private interface Load {
    LoadSpec of(Harness harness) throws IOException;
  }

  private static BenchCase benchCase(String name, Peers peers, boolean quick, Load load) {
    return new BenchCase(
        name, peers, quick, 0, 0, Sites::small, (server, root, harness) -> load.of(harness));
  }
}
