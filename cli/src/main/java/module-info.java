import org.jspecify.annotations.NullMarked;

/// The `sluice` command. This module combines all other modules.
@NullMarked
module sluice.cli {
  requires static org.jspecify;
  requires info.picocli;
  requires jdk.net;
  requires jdk.unsupported;
  requires sluice.host;
  requires sluice.isocket; // for programs and examples on the same module path
  requires sluice.memory;
  requires sluice.sys;

  opens sluice.cli to
      info.picocli;
  opens sluice.cli.compare to
      info.picocli;
  opens sluice.cli.console to
      info.picocli;
  opens sluice.cli.domain to
      info.picocli;
  opens sluice.cli.fs to
      info.picocli;
}
