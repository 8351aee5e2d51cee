import org.jspecify.annotations.NullMarked;

/// Hosts sites, plug-ins, components, disks and networks in one process. This module reads their
/// configuration file, and starts, monitors, reloads and stops them.
@NullMarked
module sluice.host {
  requires static org.jspecify;
  requires jdk.management;
  requires jdk.net;
  requires jdk.unsupported;
  // tomlj is an automatic module, so it cannot declare that it requires this module.
  requires org.antlr.antlr4.runtime;
  requires org.tomlj;
  requires spring.security.crypto;
  requires transitive sluice.domain;
  requires transitive sluice.fs;
  requires transitive sluice.http;
  requires transitive sluice.loop;
  requires sluice.memory;
  requires transitive sluice.net;
  requires transitive sluice.nfs;
  requires transitive sluice.sys;
  requires transitive sluice.verify;
  requires transitive sluice.vi;

  exports sluice.host;
  exports sluice.host.control;
  exports sluice.host.disk;
  exports sluice.host.domain;
  exports sluice.host.file;
  exports sluice.host.life;
  exports sluice.host.net;
  exports sluice.host.plugin;
  exports sluice.host.site;

  // Output of the sluice commands and their operations on files of this machine.
  exports sluice.host.disk.copy to
      sluice.cli;
  exports sluice.host.machine to
      sluice.cli;
  exports sluice.host.text to
      sluice.cli;

  // Provides bounds on the work of interruptlets, datagram handlers and drivers.
  provides sluice.loop.verdict.Judge with
      sluice.host.verdict.HandlerJudge;
}
