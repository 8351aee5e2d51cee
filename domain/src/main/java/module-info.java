import org.jspecify.annotations.NullMarked;

/// Domains: other people's code in one JVM, with budgets and an end, and portals between them.
@NullMarked
module sluice.domain {
  requires static org.jspecify;
  requires transitive sluice.verify;
  requires transitive java.logging;
  requires transitive java.management;
  requires jdk.management;
  requires sluice.memory;
  requires sluice.sys;

  exports sluice.domain;
  // Translated code calls it.
  exports sluice.domain.inside;
  exports sluice.domain.carrier to
      sluice.bench;
  exports sluice.domain.component;
  exports sluice.domain.portal;
  exports sluice.domain.portal.copy;
  exports sluice.domain.schedule;
  exports sluice.domain.translate;
}
