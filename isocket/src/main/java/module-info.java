import org.jspecify.annotations.NullMarked;

/// Isockets: `Socket` and `ServerSocket` over a loop, with interruptlets in front.
@NullMarked
module sluice.isocket {
  requires static org.jspecify;
  requires static jdk.net; // for the extended socket options
  requires transitive sluice.loop;
  requires transitive sluice.memory;
  requires sluice.sys;

  exports sluice.isocket;
}
