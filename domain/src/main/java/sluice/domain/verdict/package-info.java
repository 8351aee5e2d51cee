/// Decides which code of a domain a thread of another party may run, based on a verifier's bounds.
@org.jspecify.annotations.NullMarked
package sluice.domain.verdict;
