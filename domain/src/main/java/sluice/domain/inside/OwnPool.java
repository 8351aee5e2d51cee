package sluice.domain.inside;

import java.util.List;

/// An interface that the translator adds to a domain's direct subclass of a JDK thread pool, in the
/// same way as [OwnThread]. Any thread may call.
public interface OwnPool {
  /// Calls `shutdownNow` of the JDK's pool.
  List<Runnable> sluiceShutdown();
}
