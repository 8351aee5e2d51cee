import org.jspecify.annotations.NullMarked;

/// The sluice command and composition root.
@NullMarked
module sluice.cli {
  requires static org.jspecify;
  requires info.picocli;
  requires jdk.net;
  requires jdk.unsupported;
  // tomlj needs it and, as an automatic module, does not say so
  requires org.antlr.antlr4.runtime;
  requires org.tomlj;
  requires sluice.domain;
  requires sluice.fs;
  requires sluice.http;
  requires sluice.isocket; // for programs and examples on the same module path
  requires sluice.loop;
  requires sluice.memory;
  requires sluice.net;
  requires sluice.nfs;
  requires sluice.sys;
  requires sluice.verify;
  requires sluice.vi;
  requires spring.security.crypto;

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
