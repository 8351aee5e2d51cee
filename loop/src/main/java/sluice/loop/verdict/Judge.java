package sluice.loop.verdict;

/// Finds out what a handler does at most: the seam between this module and a verifier, which it
/// does not know. Module `sluice.host` provides one ([java.util.ServiceLoader]); without it, all
/// handlers are trusted.
@FunctionalInterface
public interface Judge {
  /// Judges a handler of the program, whose instance exists. Takes its time, in a thread of its
  /// own.
  ///
  /// @param type of the handler
  Verdict of(Class<?> type);
}
