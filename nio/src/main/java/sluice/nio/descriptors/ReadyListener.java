package sluice.nio.descriptors;

/// A listener for a channel that has become ready without the kernel reporting it. Any thread
/// calls.
public interface ReadyListener {
  void readyWithoutKernel();
}
