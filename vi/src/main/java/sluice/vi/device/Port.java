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

  /// Returns true if the memory of a descriptor may be a heap array, because the device copies in
  /// Java code and only on the threads at the queues.
  default boolean takesArrays() {
    return false;
  }

  /// Returns the number of sends that have been posted but not yet returned.
  default int sendsPosted() {
    return queues().sends.size();
  }

  /// Returns the number of receives that have been posted but not yet returned.
  default int receivesPosted() {
    return queues().receives.size();
  }

  /// Returns the reason why the connection has ended. The result is null while it is open, and
  /// while messages that arrived before its end wait for receives. If a send fails before that,
  /// only the send queue has ended, and all descriptors posted there will be returned as failed.
  @Nullable Failure failure();

  /// Requests that the device unpark a thread when anything changes. The caller must poll once more
  /// afterwards. Only one thread can sleep at each queue.
  ///
  /// @param sends true if the thread sleeps at the send queue
  /// @return the maximum time to sleep in nanoseconds, which is short if the device cannot wake a
  ///   thread
  long arm(Thread sleeper, boolean sends);

  /// Cancels the request that was made by [#arm].
  default void disarm(boolean sends) {
    queues().wakes(sends);
  }

  /// Registers memory with the device. This method does nothing if messages are copied, in which
  /// case neither the peer nor the kernel accesses the memory.
  ///
  /// @return the key that must accompany each segment of the memory
  /// @throws java.io.IOException if the device has insufficient resources
  default long register(MemorySegment memory, boolean writable) throws java.io.IOException {
    return 0;
  }

  /// Unregisters memory that is not used by any posted descriptor.
  default void unregister(long key) {}

  /// Closes the connection gracefully if it is open. The peer receives all sent messages before the
  /// end of the connection. Every posted descriptor that is not complete will soon be returned as
  /// failed, and sleeping threads are unparked. This method does not block.
  ///
  /// @param why the reason, which is that this side or its device was closed
  void end(Failure why);

  /// Releases the resources of the connection. Called after [#end] when the queues are no longer in
  /// use.
  @Override
  void close();
}
