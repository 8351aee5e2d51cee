/// Verdicts on handlers of the program: [sluice.host.verdict.HandlerJudge].
@NullMarked
package sluice.host.verdict;

import org.jspecify.annotations.NullMarked;
