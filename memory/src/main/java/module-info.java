import org.jspecify.annotations.NullMarked;

/// Provides memory objects: revocable references to native memory, views that are valid only while
/// a handler runs, and accounting. The underlying blocks cannot be revoked, and their package is
/// therefore exported only to the trusted modules.
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
