import org.jspecify.annotations.NullMarked;

/// Benchmarks against peers. Not shipped.
@NullMarked
module sluice.bench {
  requires static org.jspecify;
  requires io.netty.buffer;
  requires io.netty.codec.http;
  requires io.netty.common;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires io.netty.transport.classes.io_uring;
  requires java.management;
  requires jdk.attach;
  requires jdk.management;
  requires sluice.http;
  requires sluice.loop;
  requires sluice.memory;
  requires sluice.sys;

  exports sluice.bench;
}
