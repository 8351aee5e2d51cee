import org.jspecify.annotations.NullMarked;

/// The drop-in selector provider, which runs unmodified Java servers on Sluice's epoll selectors
/// and io_uring rings.
@NullMarked
module sluice.nio {
  requires static org.jspecify;
  requires static java.instrument; // the agent's entry point: the JVM brings it with -javaagent
  requires jdk.net;
  requires static sluice.http; // for files in front of an application
  requires sluice.loop;
  requires sluice.memory;
  requires sluice.sys;

  exports sluice.nio;

  provides java.nio.channels.spi.SelectorProvider with
      sluice.nio.SluiceSelectorProvider;
}
