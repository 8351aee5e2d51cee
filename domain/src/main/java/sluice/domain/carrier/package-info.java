/// Carriers: the platform threads that run the virtual threads of all domains, and the accounting
/// of their use.
@org.jspecify.annotations.NullMarked
package sluice.domain.carrier;
