/// Hosts sites, domains and disks in one process.
///
/// The parts are defined by a configuration file. A [sluice.host.Host] starts and stops them
/// together:
///
/// ```java
/// try (Host host = HostFile.read(Path.of("all.toml")).start(System.err::println)) {
///   host.listenToSignals(Host.Hangup.RELOADS);
///   host.publish("all.toml");
///   host.awaitEnd();
/// }
/// ```
///
/// A [sluice.host.SiteServer] serves only sites.
@NullMarked
package sluice.host;

import org.jspecify.annotations.NullMarked;
