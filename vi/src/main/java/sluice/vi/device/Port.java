package sluice.vi.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The device's half of a Virtual Interface, which consists of two queues of descriptors.
///
/// The send queue ([#postSend], [#pollSend]) and the receive queue ([#postReceive], [#pollReceive])
/// are each owned by one thread at a time, which may be the same. Any thread may call the other
/// methods. The caller must not exceed the depths in the [PortSpec].
public interface Port extends AutoCloseable {
  /// Returns the queues of posted descriptors and the threads that wait on them.
  PortQueues queues();

  default PortSpec spec() {
    return queues().spec();
  }

  /// Passes a descriptor with the bytes to send to the device.
  void postSend(Descriptor descriptor);

  /// Passes a descriptor to the device for receiving a message.
  void postReceive(Descriptor descriptor);

  /// Makes progress on the send queue without blocking.
  ///
  /// @return the oldest posted descriptor if it is complete, which is then owned by the caller, or
  ///   null
  @Nullable Descriptor pollSend();

  /// Makes progress on the receive queue without blocking.
  ///
  /// @return the oldest posted descriptor if it is complete, which is then owned by the caller, or
  ///   null
  @Nullable Descriptor pollReceive();

  /// Returns true if reading memory is sufficient to determine that [#pollReceive] has nothing to
  /// do. This includes sends that require the caller's thread. Otherwise returns false.
  default boolean isReceiveQuiet() {
    return false;
  }

  /// Returns true if a poll takes as long as a system call, in which case a waiting thread need not
  /// pause between polls.
  default boolean isPollLong() {
    return false;
  }

  /// Returns true if a posted send requires the caller's thread to make progress. The result is
  /// false if the device has its own thread, or if polling either queue makes progress on both.
  default boolean needsSendProgress() {
    return false;
  }

  /// Makes progress on posted sends. Called by the thread at the send queue.
  default void progressSends() {}

  /// Returns true if the memory of a descriptor may be an array in the heap: the device copies by
  /// Java code, only in the threads at the queues.
  default boolean takesArrays() {
    return false;
  }

  /// Returns the number of sends that are posted and not yet returned.
  default int sendsPosted() {
    return queues().sends.size();
  }

  /// Returns the number of receives that are posted and not yet returned.
  default int receivesPosted() {
    return queues().receives.size();
  }

  /// Returns the reason of the connection's end; null while it stands, and while messages that
  /// arrived before its end wait for receives. A descriptor that fails before that is a send: only
  /// its queue has ended, and all descriptors posted there will be returned failed.
  @Nullable Failure failure();

  /// Asks the device to unpark a thread when anything changes. The caller polls once more
  /// afterwards. One thread can sleep at each queue.
  ///
  /// @param sends true if it sleeps at the send queue
  /// @return the longest time to sleep, in nanoseconds, which is short for a device that cannot
  ///   wake
  long arm(Thread sleeper, boolean sends);

  /// Ends what [#arm] began.
  default void disarm(boolean sends) {
    queues().wakes(sends);
  }

  /// Registers memory with the device. Does nothing if messages are copied, so that neither the
  /// peer nor the kernel accesses this memory.
  ///
  /// @return a key that accompanies each piece of the memory
  /// @throws java.io.IOException if the device has no room for it
  default long register(MemorySegment memory, boolean writable) throws java.io.IOException {
    return 0;
  }

  /// Ends a registration that no posted descriptor uses.
  default void unregister(long key) {}

  /// Ends the connection in order, if it stands: the peer gets the sent messages, and then the end.
  /// Every posted descriptor that is not done will soon be returned failed, and a sleeping thread
  /// is unparked. The caller does not wait.
  ///
  /// @param why the reason: this side or its device was closed
  void end(Failure why);

  /// Releases the resources of the connection. Called after [#end], when the queues are not in use.
  @Override
  void close();
}
