/// Carriers: the platform threads that run the virtual threads of all domains, and what these cost.
@org.jspecify.annotations.NullMarked
package sluice.domain.carrier;
