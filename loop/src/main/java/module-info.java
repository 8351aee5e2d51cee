import org.jspecify.annotations.NullMarked;

/// Event loops: engines, transports, connections, interruptlets and the slow path.
@NullMarked
module sluice.loop {
  requires static org.jspecify;
  requires transitive sluice.memory;
  requires sluice.sys;
  requires jdk.jfr;

  exports sluice.loop;
}
