package sluice.nio.descriptors;

/// A listener that is notified when a channel has become ready although the kernel does not report
/// it. Any thread may call it.
public interface ReadyListener {
  void readyWithoutKernel();
}
