import org.jspecify.annotations.NullMarked;

/// Memory objects: blocks with reference counts, views that cannot outlive a handler, accounting.
@NullMarked
module sluice.memory {
  requires static org.jspecify;
  requires sluice.sys;

  exports sluice.memory;
}
