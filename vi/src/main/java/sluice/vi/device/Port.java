package sluice.vi.device;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The device's half of a Virtual Interface: two queues of descriptors.
///
/// The send queue ([#postSend], [#pollSend]) belongs to one thread at a time, the receive queue
/// ([#postReceive], [#pollReceive]) to one thread at a time; both may be the same. The rest belongs
/// to any thread. The caller keeps within the depths of the [PortSpec].
public interface Port extends AutoCloseable {
  /// What is posted, and the threads that wait for it.
  PortQueues queues();

  default PortSpec spec() {
    return queues().spec();
  }

  /// Hands a descriptor with bytes to send to the device.
  void postSend(Descriptor descriptor);

  /// Hands a descriptor with room for a message to the device.
  void postReceive(Descriptor descriptor);

  /// Does what can be done now for the send queue.
  ///
  /// @return the oldest posted descriptor if it is done, which is then no longer the device's
  @Nullable Descriptor pollSend();

  /// Does what can be done now for the receive queue.
  ///
  /// @return the oldest posted descriptor if it is done, which is then no longer the device's
  @Nullable Descriptor pollReceive();

  /// Whether a look at memory says that [#pollReceive] has nothing to do, also not for sends that
  /// wait for the caller's thread. False where such a look is not to be had.
  default boolean isReceiveQuiet() {
    return false;
  }

  /// Whether a poll takes as long as a system call: then a thread that waits need not pause between
  /// two of them.
  default boolean isPollLong() {
    return false;
  }

  /// Whether a posted send waits for the caller's thread to go on with it. Not, where the device
  /// has a thread of its own, or a poll of either queue goes on with both.
  default boolean needsSendProgress() {
    return false;
  }

  /// Goes on with posted sends. Of the thread at the send queue.
  default void progressSends() {}

  /// Whether memory of a descriptor may be an array in the heap: the device copies by Java code, in
  /// the threads at the queues alone.
  default boolean takesArrays() {
    return false;
  }

  /// Sends that are posted and not yet returned.
  default int sendsPosted() {
    return queues().sends.size();
  }

  /// Receives that are posted and not yet returned.
  default int receivesPosted() {
    return queues().receives.size();
  }

  /// What ended the connection; null while it stands, and while messages that came before its end
  /// wait for receives. A descriptor that fails before is a send: its queue alone has ended, and
  /// all that is posted there will be returned failed.
  @Nullable Failure failure();

  /// Asks the device to unpark a thread when anything changes. Poll once more after it. One thread
  /// can sleep at each queue.
  ///
  /// @param sends at which queue it sleeps
  /// @return how long to sleep at most, in nanoseconds: a device that cannot wake says little
  long arm(Thread sleeper, boolean sends);

  /// Ends what [#arm] began.
  default void disarm(boolean sends) {
    queues().wakes(sends);
  }

  /// Makes memory known to the device. There is nothing to tell where messages are copied, and
  /// neither the peer nor the kernel sees this memory.
  ///
  /// @return a key that goes with each piece of it
  /// @throws java.io.IOException when the device has no room for it
  default long register(MemorySegment memory, boolean writable) throws java.io.IOException {
    return 0;
  }

  /// Ends a registration that no posted descriptor uses.
  default void unregister(long key) {}

  /// Ends the connection as intended, if it stands: the peer gets what was sent, and then the end.
  /// Every posted descriptor that is not done will be returned failed, soon, and a thread that
  /// sleeps is unparked. The caller waits for nothing.
  ///
  /// @param why this side or its device was closed
  void end(Failure why);

  /// Gives back what the connection holds, after [#end], when the queues are not in use.
  @Override
  void close();
}
