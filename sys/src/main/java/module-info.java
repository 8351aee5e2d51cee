import org.jspecify.annotations.NullMarked;

/// Provides system calls, rings and kernel structures. This is the only module with native access.
@NullMarked
module sluice.sys {
  requires static jdk.net; // for the extended socket options
  requires static org.jspecify;

  exports sluice.sys to
      sluice.memory,
      sluice.loop,
      sluice.net,
      sluice.http,
      sluice.nio,
      sluice.isocket,
      sluice.fs,
      sluice.nfs,
      sluice.vi,
      sluice.cli,
      sluice.host,
      sluice.testkit,
      sluice.bench;
  exports sluice.sys.uring to
      sluice.loop,
      sluice.nio,
      sluice.fs,
      sluice.cli,
      sluice.host,
      sluice.bench;
  exports sluice.sys.mount to
      sluice.fs,
      sluice.cli,
      sluice.host;
  exports sluice.sys.sockets to
      sluice.nio,
      sluice.isocket;
  exports sluice.sys.threads to
      sluice.bench,
      sluice.cli,
      sluice.domain,
      sluice.fs,
      sluice.host,
      sluice.http,
      sluice.loop,
      sluice.memory,
      sluice.net,
      sluice.nio,
      sluice.vi;
  exports sluice.sys.fabric to
      sluice.vi;
  exports sluice.sys.xdp to
      sluice.net,
      sluice.testkit;
  exports sluice.sys.zstd to
      sluice.http;
}
