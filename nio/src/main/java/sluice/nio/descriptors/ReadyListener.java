package sluice.nio.descriptors;

/// Hears when a channel has become ready for something of which the kernel does not tell. Any
/// thread calls.
public interface ReadyListener {
  void readyWithoutKernel();
}
