package sluice.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.http.handlers.Route;
import sluice.http.handlers.RouteTable;
import sluice.http.handlers.Routes;
import sluice.http.reply.ErrorPages;
import sluice.http.site.Site;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.server.ServerConfig;
import sluice.testkit.sim.SimClient;
import sluice.testkit.sim.SimEngine;
import sluice.testkit.sim.SimRandom;
import sluice.testkit.sim.SimWorld;

/// Handlers are admitted, replaced and evicted at random moments while simulated clients pipeline
/// requests in pieces. On each connection the versions that answer never go back, every request has
/// one answer, and nothing is held at the end.
@Timeout(600)
class LiveRoutesSimTest {
  private static final long SEEDS = 2_000;
  private static final int MAX_TURNS = 200_000;
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final LoopConfig LOOP =
      new LoopConfig(100, 64 << 10, 64 << 20, 64 << 10, 600 * SECOND_NANOS, 2 * SECOND_NANOS);

  /// Its answer is a number that grows from one to the next.
  private static Route version(int number, SimRandom random) {
    String text = Integer.toString(number);
    Route route = Route.at("/v");
    if (random.chance(300)) {
      return route.withSlowHandler((request, responder) -> responder.send(text));
    }
    boolean passes = random.chance(300);
    route =
        route.withInterruptlet(() ->
            (request, reply) -> {
              reply.text(text);
              return !passes || request.contentLength() % 2 == 0;
            });
    return passes ? route.withSlowHandler((request, responder) -> responder.send(text)) : route;
  }

  private static String requests(SimRandom random, int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      String last = i == count - 1 ? "Connection: close\r\n" : "";
      if (random.chance(500)) {
        text.append("GET /v HTTP/1.1\r\nHost: t\r\n").append(last).append("\r\n");
      } else {
        String body = "x".repeat(random.skewed(6_000));
        text.append("POST /v HTTP/1.1\r\nHost: t\r\nContent-Length: ").append(body.length());
        text.append("\r\n").append(last).append("\r\n").append(body);
      }
    }
    return text.toString();
  }

  private static void serve(SimWorld world) throws Exception {
    SimRandom random = world.random();
    ServerConfig server = ServerConfig.onLoopback("sim", 0).withLoop(LOOP);
    HttpConfig config =
        HttpConfig.of(server, Site.of(Path.of("/simulated")))
            .withTimeouts(Duration.ofHours(1), Duration.ofHours(1));
    SimEngine engine = world.engine();
    SimSlowPath slowPath = new SimSlowPath(world.scheduler(), random);
    Loop loop = new Loop("sim", engine, LOOP, world.clock(), slowPath);
    Routes routes = new Routes(List.of(version(0, random)));
    RouteTable table = new RouteTable(routes, config.limits());
    ErrorPages errors = new ErrorPages(Map.of());
    HttpHosts none = HttpHosts.of(null, errors);
    HttpShared shared = new HttpShared(errors, null, null);
    HttpProtocol http = new HttpProtocol(loop, config, none, table, shared);
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    SocketAddress address = loop.listen(any, ListenOptions.DEFAULT, http).localAddress();
    int changes = random.skewed(30);
    for (int i = 1; i <= changes; i++) {
      int number = i;
      boolean gone = random.chance(200);
      // one after the other, so that a later one has the greater number
      world
          .scheduler()
          .after(
              i * 1_000_000L + random.below(1_000_000),
              () -> {
                if (gone) {
                  routes.evict("/v");
                } else {
                  routes.admit(version(number, random));
                }
              });
    }
    List<SimClient> clients = new ArrayList<>();
    List<Integer> counts = new ArrayList<>();
    for (int i = random.between(1, 5); i > 0; i--) {
      int count = random.between(1, 12);
      counts.add(count);
      clients.add(
          world
              .client()
              .connect(address)
              .send(requests(random, count).getBytes(StandardCharsets.US_ASCII)));
    }
    world.turnUntil(
        () -> clients.stream().allMatch(SimClient::over), MAX_TURNS, () -> loop.turn(-1));
    loop.drain(60 * SECOND_NANOS);
    world.turnUntil(loop::stopping, MAX_TURNS, () -> loop.turn(-1));
    world.check(loop.counters().handlerFailures() == 0, "a handler failed");
    world.check(loop.counters().taskFailures() == 0, "a task failed");
    for (int i = 0; i < clients.size(); i++) {
      check(world, clients.get(i), counts.get(i));
    }
    loop.close();
    world.check(
        loop.heldBytes() == 0, "the loop holds bytes without a connection: " + loop.heldBytes());
    engine.checkNothingLeft();
  }

  private static void check(SimWorld world, SimClient client, int requests) {
    String text = new String(client.received(), StandardCharsets.ISO_8859_1);
    int newest = 0;
    int replies = 0;
    int at = 0;
    while (at < text.length()) {
      int end = text.indexOf("\r\n\r\n", at);
      if (end < 0) {
        break;
      }
      String head = text.substring(at, end + 2);
      int field = head.indexOf("Content-Length: ") + "Content-Length: ".length();
      int length = Integer.parseInt(head.substring(field, head.indexOf("\r\n", field)).strip());
      if (end + 4 + length > text.length()) {
        break;
      }
      String body = text.substring(end + 4, end + 4 + length);
      at = end + 4 + length;
      replies++;
      if (head.startsWith("HTTP/1.1 200 ")) {
        int version = Integer.parseInt(body);
        world.check(version >= newest, "version " + version + " after " + newest);
        newest = version;
      } else {
        boolean evicted = head.startsWith("HTTP/1.1 404 ") || head.startsWith("HTTP/1.1 405 ");
        world.check(evicted, "unexpected reply: " + head);
      }
    }
    boolean broken = client.brokenByFault();
    world.check(broken || replies == requests, replies + " replies to " + requests + ": " + text);
  }

  @Test
  void versionsNeverGoBack() {
    SimWorld.runSeeds(SEEDS, LiveRoutesSimTest::serve);
  }
}
