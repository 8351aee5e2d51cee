import org.jspecify.annotations.NullMarked;

/// Event loops: engines, transports, connections, interruptlets and the slow path.
@NullMarked
module sluice.loop {
  requires static org.jspecify;
  requires transitive sluice.memory;
  requires sluice.sys;
  requires jdk.jfr;

  exports sluice.loop;
  exports sluice.loop.counters;
  exports sluice.loop.datagrams;
  exports sluice.loop.engine;
  exports sluice.loop.poller;
  exports sluice.loop.server;
  exports sluice.loop.sockets to
      sluice.host,
      sluice.http;
  exports sluice.loop.tls;
  exports sluice.loop.uring to
      sluice.nio;
  exports sluice.loop.verdict;

  uses sluice.loop.verdict.Judge;
}
