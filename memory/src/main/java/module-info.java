import org.jspecify.annotations.NullMarked;

/// Memory objects: revocable references, views that cannot outlive a handler, and accounting. The
/// blocks below them cannot be revoked and are exported only to the trusted modules.
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
