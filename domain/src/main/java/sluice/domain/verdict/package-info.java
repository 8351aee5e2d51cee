/// What a verifier says of code of a domain that a thread of another party is to run.
@org.jspecify.annotations.NullMarked
package sluice.domain.verdict;
