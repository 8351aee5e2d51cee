import org.jspecify.annotations.NullMarked;

/// Simulated engine and contract suites. Not shipped.
@NullMarked
module sluice.testkit {
  requires static org.jspecify;
  requires transitive sluice.loop;
  requires sluice.memory;
  requires sluice.sys;
  requires transitive sluice.testbase;
  requires org.assertj.core;
  requires transitive org.junit.jupiter.api;
  requires org.junit.jupiter.params;

  exports sluice.testkit;
  exports sluice.testkit.machine;
  exports sluice.testkit.sim;
  exports sluice.testkit.sockets;

  // JUnit finds tests in here by reflection
  opens sluice.testkit;
  opens sluice.testkit.sockets;
}
