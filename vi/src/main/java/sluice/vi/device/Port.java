package sluice.vi.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The device's half of a Virtual Interface: two queues of descriptors.
///
/// The send queue ([#postSend], [#pollSend]) belongs to one thread at a time, the receive queue
/// ([#postReceive], [#pollReceive]) to one thread at a time; both may be the same. Any thread may
/// call the other methods. The caller respects the depths of the [PortSpec].
public interface Port extends AutoCloseable {
  /// Returns the posted descriptors, and the threads that wait for them.
  PortQueues queues();

  default PortSpec spec() {
    return queues().spec();
  }

  /// Passes a descriptor with bytes to send to the device.
  void postSend(Descriptor descriptor);

  /// Passes a descriptor with room for a message to the device.
  void postReceive(Descriptor descriptor);

  /// Makes progress on the send queue, without waiting.
  ///
  /// @return the oldest posted descriptor if it is done; it then no longer belongs to the device
  @Nullable Descriptor pollSend();

  /// Makes progress on the receive queue, without waiting.
  ///
  /// @return the oldest posted descriptor if it is done; it then no longer belongs to the device
  @Nullable Descriptor pollReceive();

  /// Returns true if a look at memory shows that [#pollReceive] has nothing to do, including sends
  /// that wait for the caller's thread. Returns false if such a look is not possible.
  default boolean isReceiveQuiet() {
    return false;
  }

  /// Returns true if a poll takes as long as a system call, so that a waiting thread need not pause
  /// between two polls.
  default boolean isPollLong() {
    return false;
  }

  /// Returns true if a posted send needs the caller's thread to progress. False if the device has
  /// its own thread, or if a poll of either queue progresses both.
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
