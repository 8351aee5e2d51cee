package sluice.loop.verdict;

/// A handler that wraps another one and knows its verdict. Any thread may call.
@FunctionalInterface
public interface Judged {
  /// Returns the current verdict.
  Verdict verdict();
}
