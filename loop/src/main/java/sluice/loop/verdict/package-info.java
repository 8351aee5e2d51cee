/// The verdicts on the amount of work of handlers before they run, and the judge that determines
/// them.
@NullMarked
package sluice.loop.verdict;

import org.jspecify.annotations.NullMarked;
