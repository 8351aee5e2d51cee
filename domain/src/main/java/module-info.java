import org.jspecify.annotations.NullMarked;

/// Domains: other people's code in one JVM, with budgets and an end, and portals between them.
@NullMarked
module sluice.domain {
  requires static org.jspecify;
  requires sluice.memory;
  requires sluice.verify;

  exports sluice.domain.portal;
  exports sluice.domain.portal.copy;
}
