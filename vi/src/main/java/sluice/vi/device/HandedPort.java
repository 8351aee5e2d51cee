package sluice.vi.device;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A port whose messages are transferred by a thread of the device. Posted descriptors are passed
/// to that thread, which counts those that are complete. The send queue and the receive queue are
/// each owned by one thread at a time. Protected methods may only be called on the device's thread
/// unless documented otherwise.
///
/// **Memory.** A descriptor is only returned when the device no longer accesses it. This is the
/// case when it has been counted in `sendsDone` or `receivesDone`, or when `sendsEnded` or
/// `receivesEnded` has been set.
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

  /// @param spec the specification on which both sides have agreed
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

  /// Notifies the device's thread that a descriptor was posted. Called on any thread that uses a
  /// queue.
  protected abstract void posted();

  /// Notifies the device's thread that this side has closed the connection. [#failure] returns the
  /// reason. The device's thread must end both queues soon. Any thread may call.
  protected abstract void left();

  /// Records the reason for the end of the connection unless one was already recorded. Any thread
  /// may call.
  ///
  /// @return true if this was the first reason
  protected final boolean note(Failure why) {
    return FAILURE.compareAndSet(this, null, why);
  }

  /// Records the reason for the end of the connection as [#note] does.
  ///
  /// @return the reason that is recorded, which may be an earlier one
  protected final Failure noted(Failure why) {
    boolean _ = note(why);
    Failure first = failure;
    return first == null ? why : first;
  }

  // ---- the device's thread -------------------------------------------------------------------

  /// Returns the next posted send, or null.
  protected final @Nullable Descriptor nextSend() {
    return toSend.poll();
  }

  /// Returns the next posted receive, or null.
  protected final @Nullable Descriptor nextReceive() {
    return toReceive.poll();
  }

  /// Marks the given number of oldest sends as complete. The caller must call [#wakeSleepers]
  /// afterwards.
  protected final void sendsDone(int count) {
    SENDS_DONE.setVolatile(this, sendsDone + count);
    wakesSender = true;
  }

  /// Marks the oldest receive as complete. The caller must call [#wakeSleepers] afterwards.
  protected final void receiveDone() {
    RECEIVES_DONE.setVolatile(this, receivesDone + 1);
    wakesReceiver = true;
  }

  /// Wakes the threads that are waiting for completions since the last call. This is called once
  /// per batch, because a woken thread may preempt the caller immediately.
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

  /// Fails all sends that are not complete. The device must not access any of them from now on.
  protected final void endSends(Failure why) {
    if (sendsEnded == null) {
      sendsEnded = why;
    }
    queues.unparkSender();
  }

  /// Fails all receives that are not complete, as [#endSends] does for sends.
  protected final void endReceives(Failure why) {
    if (receivesEnded == null) {
      receivesEnded = why;
    }
    queues.unparkReceiver();
  }
}
