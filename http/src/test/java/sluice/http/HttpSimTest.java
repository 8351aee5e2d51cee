package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.http.files.FileMemory;
import sluice.http.files.WatchTable;
import sluice.http.files.WatchedFiles;
import sluice.http.handlers.RouteTable;
import sluice.http.handlers.Routes;
import sluice.http.reply.ErrorPages;
import sluice.http.service.SiteService;
import sluice.http.site.Site;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.server.ServerConfig;
import sluice.testkit.sim.SimEngine;
import sluice.testkit.sim.SimRandom;
import sluice.testkit.sim.SimWorld;

/// The whole server over the simulated engine, files and inotify: clients pipeline requests of
/// every kind while files change at random moments. Every reply is whole, in order and fresh, or
/// its connection has broken; at the end nothing is held.
@Timeout(600)
class HttpSimTest {
  private static final long SEEDS = 10_000;
  private static final int MAX_TURNS = 200_000;
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final LoopConfig LOOP =
      new LoopConfig(100, 64 << 10, 64 << 20, 64 << 10, 600 * SECOND_NANOS, 2 * SECOND_NANOS);

  private static final List<Site.Tags> TAGS = List.of(Site.Tags.values());

  private static HttpConfig config(SimRandom random) {
    Site site =
        Site.of(Path.of("/simulated"))
            .withCompression(random.chance(500), random.chance(500) ? 1 : 0)
            .withTags(TAGS.get(random.below(TAGS.size())))
            .withCacheableBytes(random.chance(500) ? random.skewed(9_000) : 1 << 20);
    ServerConfig server = ServerConfig.onLoopback("sim", 0).withLoop(LOOP);
    return HttpConfig.of(server, site)
        .withCacheBytes(random.chance(300) ? random.skewed(200_000) : 64 << 20)
        .withTimeouts(Duration.ofHours(1), Duration.ofHours(1));
  }

  private static void serve(SimWorld world) throws Exception {
    SimRandom random = world.random();
    SimSite files = new SimSite(random);
    HttpConfig config = config(random);
    SimEngine engine = world.engine();
    SimSlowPath slowPath = new SimSlowPath(world.scheduler(), random);
    Loop loop = new Loop("sim", engine, LOOP, world.clock(), slowPath);
    FileMemory memory = files.memory;
    memory.moment = slowPath::moment;
    WatchTable watches = WatchTable.alone(memory, random.between(2, 30));
    SiteService site =
        new SiteService(loop, config.perLoop(), new WatchedFiles(memory, watches), memory);
    loop.onClose(site::close);
    RouteTable routes = new RouteTable(new Routes(List.of()), config.limits());
    ErrorPages errors = new ErrorPages(Map.of());
    HttpHosts hosts = HttpHosts.of(site, errors);
    HttpShared shared = new HttpShared(errors, null, null);
    HttpProtocol http = new HttpProtocol(loop, config, hosts, routes, shared);
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    SocketAddress address = loop.listen(any, ListenOptions.DEFAULT, http).localAddress();
    for (int i = random.skewed(40); i > 0; i--) {
      world.scheduler().after(random.skewed(30_000_000), files::change);
      world.scheduler().after(random.skewed(30_000_000), files::finishWrites);
    }
    List<SimHttpClient> clients = new ArrayList<>();
    for (int i = random.between(1, 6); i > 0; i--) {
      SimHttpClient client = new SimHttpClient(world, files);
      client.start(address);
      clients.add(client);
    }
    world.turnUntil(
        () -> clients.stream().allMatch(SimHttpClient::over), MAX_TURNS, () -> loop.turn(-1));
    loop.drain(60 * SECOND_NANOS);
    world.turnUntil(loop::stopping, MAX_TURNS, () -> loop.turn(-1));
    world.turnUntil(() -> site.fillsUnderWay() == 0, MAX_TURNS, () -> loop.turn(SECOND_NANOS));
    world.check(loop.counters().handlerFailures() == 0, "a handler failed");
    world.check(loop.counters().taskFailures() == 0, "a task failed");
    clients.forEach(SimHttpClient::check);
    world.check(loop.connectionCount() == 0, "connections are left");
    loop.close();
    checkNothingLeft(world, engine, loop, http, site, memory);
  }

  private static void checkNothingLeft(
      SimWorld world,
      SimEngine engine,
      Loop loop,
      HttpProtocol http,
      SiteService site,
      FileMemory memory) {
    world.check(
        loop.heldBytes() == 0, "the loop holds bytes without a connection: " + loop.heldBytes());
    world.check(http.heldBytes() == 0, "heads are held for nobody: " + http.heldBytes());
    world.check(site.heldBytes() == 0, "replies are held for nobody: " + site.heldBytes());
    world.check(memory.open.isEmpty(), "files are open for nobody: " + memory.open.keySet());
    engine.checkNothingLeft();
  }

  @Test
  void everyReplyIsWholeInOrderAndFresh() {
    SimWorld.runSeeds(SEEDS, HttpSimTest::serve);
  }

  @Test
  void sameSeedSameEvents() {
    for (long seed = 0; seed < 50; seed++) {
      long first = SimWorld.run(seed, HttpSimTest::serve);
      assertThat(SimWorld.run(seed, HttpSimTest::serve)).as("seed %d", seed).isEqualTo(first);
    }
  }
}
