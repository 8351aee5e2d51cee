package sluice.vi.device;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A port whose messages are moved by a thread of the device: what is posted is handed to that
/// thread, which counts what is done. The send queue belongs to one thread at a time, the receive
/// queue to one; protected methods belong to the device's thread unless they say otherwise.
///
/// **Memory.** A descriptor is returned when the device has finished with it: it is counted in
/// `sendsDone` or `receivesDone`, or `sendsEnded` or `receivesEnded` has been set, after which the
/// device touches none.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `sends`, `sendsTaken` | the thread at the send queue | plain | plain |
/// | `receives`, `receivesTaken` | the thread at the receive queue | plain | plain |
/// | `sendsDone`, `receivesDone` | the device's thread | acquire | volatile |
/// | `wakesSender`, `wakesReceiver` | the device's thread | plain | plain |
/// | `sendsEnded`, `receivesEnded` | the device's thread | volatile | volatile |
/// | `failure` | the first that finds one | volatile | compare-and-set |
public abstract class HandedPort implements Port {
  private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final VarHandle SENDS_DONE;
  private static final VarHandle RECEIVES_DONE;
  private static final VarHandle FAILURE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      SENDS_DONE = lookup.findVarHandle(HandedPort.class, "sendsDone", int.class);
      RECEIVES_DONE = lookup.findVarHandle(HandedPort.class, "receivesDone", int.class);
      FAILURE = lookup.findVarHandle(HandedPort.class, "failure", Failure.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final PortQueues queues;
  private final WorkQueue sends;
  private final WorkQueue receives;
  private final Handover toSend;
  private final Handover toReceive;
  private int sendsTaken;
  private int receivesTaken;
  private int sendsDone;
  private int receivesDone;
  private boolean wakesSender;
  private boolean wakesReceiver;
  private volatile @Nullable Failure sendsEnded;
  private volatile @Nullable Failure receivesEnded;
  private volatile @Nullable Failure failure;

  /// @param spec as both sides agreed on it
  protected HandedPort(PortSpec spec) {
    queues = new PortQueues(spec);
    sends = queues.sends;
    receives = queues.receives;
    toSend = new Handover(spec.sendDepth());
    toReceive = new Handover(spec.receiveDepth());
  }

  // ---- the application's threads -------------------------------------------------------------

  @Override
  public final PortQueues queues() {
    return queues;
  }

  @Override
  public final void postSend(Descriptor descriptor) {
    sends.add(descriptor);
    if (sendsEnded == null && toSend.offer(descriptor)) {
      posted();
    }
  }

  @Override
  public final void postReceive(Descriptor descriptor) {
    receives.add(descriptor);
    if (receivesEnded == null && toReceive.offer(descriptor)) {
      posted();
    }
  }

  @Override
  public final @Nullable Descriptor pollSend() {
    Failure end = sendsEnded; // before the count: what was done before the end counts
    if ((int) SENDS_DONE.getAcquire(this) != sendsTaken) {
      sendsTaken++;
      return sends.take(null);
    }
    return end == null ? null : sends.take(end);
  }

  @Override
  public final @Nullable Descriptor pollReceive() {
    Failure end = receivesEnded;
    if ((int) RECEIVES_DONE.getAcquire(this) != receivesTaken) {
      receivesTaken++;
      return receives.take(null);
    }
    return end == null ? null : receives.take(end);
  }

  @Override
  public final long arm(Thread sleeper, boolean atSends) {
    queues.sleeps(sleeper, atSends);
    return NAP_NANOS;
  }

  @Override
  public final @Nullable Failure failure() {
    return failure;
  }

  @Override
  public final void end(Failure why) {
    if (note(why)) {
      left();
    }
  }

  @Override
  public final void close() {
    end(Failure.CLOSED);
  }

  // ---- what a device says --------------------------------------------------------------------

  /// Something was posted: the device's thread is to look soon. Of any thread at a queue.
  protected abstract void posted();

  /// This side has ended the connection; [#failure] says why. The device's thread is to end both
  /// queues soon. Of any thread.
  protected abstract void left();

  /// Says what ended the connection, if nothing did before. Of any thread.
  ///
  /// @return whether this was the first
  protected final boolean note(Failure why) {
    return FAILURE.compareAndSet(this, null, why);
  }

  /// As [#note].
  ///
  /// @return what ended the connection: this, or what was noted before
  protected final Failure noted(Failure why) {
    boolean _ = note(why);
    Failure first = failure;
    return first == null ? why : first;
  }

  // ---- the device's thread -------------------------------------------------------------------

  /// The next send that was posted, or null.
  protected final @Nullable Descriptor nextSend() {
    return toSend.poll();
  }

  /// The next receive that was posted, or null.
  protected final @Nullable Descriptor nextReceive() {
    return toReceive.poll();
  }

  /// The oldest sends are done. [#wakeSleepers] must follow.
  protected final void sendsDone(int count) {
    SENDS_DONE.setVolatile(this, sendsDone + count);
    wakesSender = true;
  }

  /// The oldest receive is done. [#wakeSleepers] must follow.
  protected final void receiveDone() {
    RECEIVES_DONE.setVolatile(this, receivesDone + 1);
    wakesReceiver = true;
  }

  /// Wakes the threads that sleep for what is done since the last call: once for all of a batch,
  /// since a thread that is woken may take the processor at once.
  protected final void wakeSleepers() {
    if (wakesSender) {
      wakesSender = false;
      queues.unparkSender();
    }
    if (wakesReceiver) {
      wakesReceiver = false;
      queues.unparkReceiver();
    }
  }

  protected final boolean sendsEnded() {
    return sendsEnded != null;
  }

  protected final boolean receivesEnded() {
    return receivesEnded != null;
  }

  /// Sends that are not done fail; the device touches none from now on.
  protected final void endSends(Failure why) {
    if (sendsEnded == null) {
      sendsEnded = why;
    }
    queues.unparkSender();
  }

  /// As [#endSends], for receives.
  protected final void endReceives(Failure why) {
    if (receivesEnded == null) {
      receivesEnded = why;
    }
    queues.unparkReceiver();
  }
}
