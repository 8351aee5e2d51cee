package sluice.loop.verdict;

/// A handler that stands for another one and knows the verdict on it. Any thread may call.
@FunctionalInterface
public interface Judged {
  /// Returns the current verdict.
  Verdict verdict();
}
