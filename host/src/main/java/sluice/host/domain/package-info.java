/// The domains and components that a file names ([sluice.host.domain.Domains]), and their counters.
@NullMarked
package sluice.host.domain;

import org.jspecify.annotations.NullMarked;
