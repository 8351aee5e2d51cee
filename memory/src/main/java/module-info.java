import org.jspecify.annotations.NullMarked;

/// Memory objects: references that can be taken away, views that cannot outlive a handler,
/// accounting. The blocks below, which are not taken away, are for the trusted modules alone.
@NullMarked
module sluice.memory {
  requires static org.jspecify;
  requires sluice.sys;

  exports sluice.memory;
  exports sluice.memory.block to
      sluice.loop,
      sluice.net,
      sluice.http,
      sluice.nio,
      sluice.isocket,
      sluice.fs,
      sluice.nfs,
      sluice.vi,
      sluice.domain,
      sluice.cli,
      sluice.host,
      sluice.testkit,
      sluice.bench;
}
