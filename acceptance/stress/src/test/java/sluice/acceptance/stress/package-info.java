/// Races of leases, revocation and portals, one class for each: two threads act on one state many
/// million times, and each outcome is allowed or forbidden. `StressTest` runs them. Not shipped.
@NullMarked
package sluice.acceptance.stress;

import org.jspecify.annotations.NullMarked;
