/// The domains and components that are defined in a configuration file
/// ([sluice.host.domain.Domains]), and their counters.
@NullMarked
package sluice.host.domain;

import org.jspecify.annotations.NullMarked;
