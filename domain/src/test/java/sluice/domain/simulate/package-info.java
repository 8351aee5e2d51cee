/// Calls of portals and posted calls in a simulation: one thread runs them, in an order that a seed
/// gives, and changes threads between any two steps of their code.
@NullMarked
package sluice.domain.simulate;

import org.jspecify.annotations.NullMarked;
