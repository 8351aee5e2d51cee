package sluice.domain.inside;

import java.util.List;

/// What the translator gives a domain's class directly below a pool of the JDK, as [OwnThread]. Any
/// thread may call.
public interface OwnPool {
  /// `shutdownNow` of the JDK's pool.
  List<Runnable> sluiceShutdown();
}
