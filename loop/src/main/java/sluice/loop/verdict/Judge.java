package sluice.loop.verdict;

/// An interface to a verifier, which determines the maximum amount of work of a handler. This
/// module does not depend on the verifier. Module `sluice.host` provides one
/// ([java.util.ServiceLoader]). Without a verifier, all handlers are trusted.
@FunctionalInterface
public interface Judge {
  /// Judges a handler of the program of which an instance exists. This may take long, and is done
  /// on a separate thread.
  ///
  /// @param type the class of the handler
  Verdict of(Class<?> type);
}
