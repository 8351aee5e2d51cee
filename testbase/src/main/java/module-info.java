import org.jspecify.annotations.NullMarked;

/// What the tests of every module use, and the benches, below all of them. Not shipped.
@NullMarked
module sluice.testbase {
  requires static org.jspecify;
  requires java.management;
  requires java.xml;
  requires jdk.management;

  exports sluice.testbase;
}
