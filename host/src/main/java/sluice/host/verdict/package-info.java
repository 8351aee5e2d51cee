/// Computes verdicts on the handlers of a program ([sluice.host.verdict.HandlerJudge]).
@NullMarked
package sluice.host.verdict;

import org.jspecify.annotations.NullMarked;
