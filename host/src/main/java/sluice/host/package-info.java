/// Hosts sites, domains and disks in one process.
///
/// A file names the parts, and a [sluice.host.Host] runs and ends them together:
///
/// ```java
/// try (Host host = HostFile.read(Path.of("all.toml")).start(System.err::println)) {
///   host.listenToSignals(Host.Hangup.RELOADS);
///   host.publish("all.toml");
///   host.awaitEnd();
/// }
/// ```
///
/// [sluice.host.SiteServer] serves sites alone.
@NullMarked
package sluice.host;

import org.jspecify.annotations.NullMarked;
