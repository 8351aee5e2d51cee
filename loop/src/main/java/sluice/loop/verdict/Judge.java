package sluice.loop.verdict;

/// An interface to a verifier, which determines the most work a handler does. This module does not
/// know the verifier: module `sluice.host` provides one ([java.util.ServiceLoader]). Without it,
/// all handlers are trusted.
@FunctionalInterface
public interface Judge {
  /// Judges a handler of the program, whose instance exists. May take long; runs on a separate
  /// thread.
  ///
  /// @param type the class of the handler
  Verdict of(Class<?> type);
}
