/// The knowledge about the work of handlers before they run: verdicts, and the judge that gives
/// them.
@NullMarked
package sluice.loop.verdict;

import org.jspecify.annotations.NullMarked;
