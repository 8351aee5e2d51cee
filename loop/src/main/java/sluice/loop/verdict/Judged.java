package sluice.loop.verdict;

/// A handler that stands for another one, and knows the verdict on it. Any thread may ask.
@FunctionalInterface
public interface Judged {
  /// The verdict as it is now.
  Verdict verdict();
}
