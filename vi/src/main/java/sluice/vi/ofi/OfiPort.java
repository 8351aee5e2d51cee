package sluice.vi.ofi;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.fabric.FabricEndpoint;
import sluice.vi.device.Descriptor;
import sluice.vi.device.DeviceException;
import sluice.vi.device.Failure;
import sluice.vi.device.Port;
import sluice.vi.device.PortQueues;
import sluice.vi.device.PortSpec;
import sluice.vi.device.WorkQueue;

/// One end of a connection through libfabric. The send queue and the receive queue are each owned
/// by one thread at a time. Their shared state is guarded by [PortLock], because the endpoint and
/// its completion queue may only be used by one thread at a time.
///
/// If another thread holds the lock, a poll returns nothing, because that thread handles the
/// completions of both queues. The control socket is checked for the end of the peer before each
/// park and in every 256th poll, so that a waiting thread detects it within milliseconds.
///
/// **Memory.** A descriptor is returned when the provider has completed it, or after the endpoint
/// has been closed; from then on the provider does not touch its memory.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `endpoint`, `flights`, `staging`, the counts, `ended`, `sendsEnded` | the holder of `lock` | plain | plain |
/// | `sends`, `receives` | the holder of `lock` | sizes opaque, the rest plain | the same |
/// | `failure` | the holder of `lock` | volatile | volatile |
///
/// Lifecycle: created after a message has been exchanged in each direction → used → failed or
/// ended, which closes the endpoint → closed.
final class OfiPort implements Port {
  /// The minimum and maximum sleep times of a waiting thread, which are shorter while messages
  /// arrive.
  private static final long LEAST_NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

  private static final long MOST_NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /// The number of polls between two checks of the control socket, a power of two.
  private static final int LOOKS = 256;

  /// The time within which messages of a peer that has closed its end may still arrive.
  private static final long CLOSED_NANOS = TimeUnit.SECONDS.toNanos(1);

  /// The time within which messages of a peer that has failed or was killed may still arrive.
  private static final long LOST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final PortSpec spec;
  private final FabricEndpoint endpoint;
  private final ControlSocket control;
  private final long receiveTag;
  private final long sendTag;
  private final Flights flights;
  private final Staging staging;
  private final PortQueues queues;
  private final WorkQueue sends;
  private final WorkQueue receives;
  private final boolean sameProcess;
  private final boolean asksKernel;
  private final PortLock lock = new PortLock();
  private long sent;
  private long received;
  private int polls;
  private long napNanos = LEAST_NAP_NANOS;
  private ControlSocket.@Nullable End ended;
  private long quietSince;
  private volatile @Nullable Failure failure;

  /// Set if the peer has closed its end, so that sends fail, but its messages may still arrive.
  /// Otherwise null.
  private @Nullable Failure sendsEnded;

  /// @param asksKernel true if the provider makes a system call for each poll
  OfiPort(
      PortSpec spec,
      FabricEndpoint endpoint,
      ControlSocket control,
      long receiveTag,
      long sendTag,
      boolean asksKernel) {
    this.asksKernel = asksKernel;
    this.spec = spec;
    this.endpoint = endpoint;
    this.control = control;
    this.receiveTag = receiveTag;
    this.sendTag = sendTag;
    sameProcess = control.isSameProcess();
    flights = new Flights(spec.sendDepth() + spec.receiveDepth());
    staging = new Staging(endpoint, spec.transferBytes());
    queues = new PortQueues(spec);
    sends = queues.sends;
    receives = queues.receives;
  }

  @Override
  public PortQueues queues() {
    return queues;
  }

  @Override
  public boolean isPollLong() {
    return asksKernel;
  }

  // ---- posting -------------------------------------------------------------------------------

  @Override
  public void postSend(Descriptor descriptor) {
    lock.lock();
    try {
      sends.add(descriptor);
      handOver();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void postReceive(Descriptor descriptor) {
    lock.lock();
    try {
      receives.add(descriptor);
      if (ended != null) {
        quietSince = System.nanoTime(); // what has come must find this receive
      }
      handOver();
    } finally {
      lock.unlock();
    }
  }

  /// Passes descriptors to the provider that it previously had no space for.
  private void handOver() {
    Descriptor next = receives.unsent();
    while (next != null && failure == null && start(next, false)) {
      receives.sent();
      next = receives.unsent();
    }
    next = sends.unsent();
    while (next != null && failure == null && startSend(next)) {
      sends.sent();
      next = sends.unsent();
    }
  }

  /// @return true if the provider has accepted the descriptor, or the descriptor has failed
  private boolean startSend(Descriptor descriptor) {
    Failure why = sendsEnded;
    if (why == null) {
      return start(descriptor, true);
    }
    descriptor.fail(why);
    return true;
  }

  /// @return true if the provider has accepted the descriptor
  private boolean start(Descriptor descriptor, boolean send) {
    int slot = flights.free();
    if (slot < 0) {
      return false;
    }
    int result;
    Staging.Place place = null;
    try {
      if (descriptor.pieces() == 1) {
        MemorySegment memory = descriptor.memory(0);
        result =
            start(
                memory,
                descriptor.offset(0),
                descriptor.lengthBytes(),
                descriptor.key(0),
                slot,
                send);
      } else {
        place = staging.take();
        if (send) {
          descriptor.copyOut(place.memory(), 0, descriptor.lengthBytes());
        }
        int room = Math.min(descriptor.lengthBytes(), spec.transferBytes());
        result = start(place.memory(), 0, room, place.key(), slot, send);
      }
    } catch (IOException e) {
      failInside(Failure.other(String.valueOf(e.getMessage())));
      return false;
    }
    if (result == 0) {
      flights.begin(slot, descriptor, send, place);
      return true;
    }
    descriptor.restart();
    if (place != null) {
      staging.giveBack(place);
    }
    if (result != -Errno.EAGAIN) {
      failInside(broken((send ? "sending: " : "receiving: ") + endpoint.describe(result)));
    }
    return false;
  }

  private int start(
      MemorySegment memory, long offset, int length, long key, int slot, boolean send) {
    return send
        ? endpoint.send(memory, offset, length, key, sendTag, slot)
        : endpoint.receive(memory, offset, length, key, receiveTag, slot);
  }

  // ---- completions ---------------------------------------------------------------------------

  @Override
  public @Nullable Descriptor pollSend() {
    return poll(sends);
  }

  @Override
  public @Nullable Descriptor pollReceive() {
    return poll(receives);
  }

  private @Nullable Descriptor poll(WorkQueue queue) {
    if (!lock.tryLock()) {
      return null;
    }
    try {
      Descriptor done = queue.take(failure);
      if (done == null && failure == null) {
        progress();
        done = queue.take(failure);
      }
      return done;
    } finally {
      lock.unlock();
    }
  }

  /// Makes progress in the provider and records its completions.
  private void progress() {
    int count = endpoint.poll();
    long before = received;
    for (int i = 0; i < count && failure == null; i++) {
      completed(i);
    }
    if (count < 0) {
      failInside(broken("the completion queue: " + endpoint.describe(count)));
    } else if (count > 0) {
      napNanos = LEAST_NAP_NANOS;
    }
    polls++;
    if (ended != null) {
      quietSince = received == before ? quietSince : System.nanoTime();
      checkEnd(); // also while sends complete, which a peer that has closed never receives
    } else if ((polls & (LOOKS - 1)) == 0) {
      look();
    }
    if (failure == null && !(sends.isAllSent() && receives.isAllSent())) {
      handOver();
    }
  }

  private void completed(int index) {
    int slot = endpoint.slotOf(index);
    Failure why = failureOf(index);
    Descriptor descriptor = slot < 0 ? null : flights.descriptor(slot);
    if (descriptor == null) {
      failInside(why == null ? Failure.other("the provider completed what was not posted") : why);
      return;
    }
    boolean send = flights.isSend(slot);
    long length = send ? descriptor.lengthBytes() : endpoint.lengthOf(index);
    if (why == null && length > descriptor.lengthBytes()) {
      why = Failure.tooLong(length, descriptor.lengthBytes());
    }
    Staging.Place place = flights.end(slot);
    if (place != null) {
      if (why == null && !send) {
        descriptor.copyIn(place.memory(), 0, (int) length);
      }
      staging.giveBack(place);
    }
    if (why != null) {
      descriptor.fail(why);
      if (send && expectsMessages()) {
        sendsEnded = why;
      } else {
        failInside(why);
      }
      return;
    }
    descriptor.finish((int) length);
    if (send) {
      sent++;
    } else {
      received++;
    }
  }

  private @Nullable Failure failureOf(int index) {
    String why = endpoint.failureOf(index);
    if (why == null) {
      return null;
    }
    return endpoint.isTruncated(index)
        ? Failure.tooLong(-1, endpoint.lengthOf(index))
        : broken(why);
  }

  /// Returns the reason why the provider has failed, which is usually that the peer has ended.
  private Failure broken(String why) {
    if (ended == null) {
      look();
    }
    return ended == null ? Failure.lost(why) : ended.why();
  }

  /// Returns true if the peer has closed its end, but not all of its messages have been received.
  private boolean expectsMessages() {
    return ended != null && received < ended.sent();
  }

  // ---- the peer's end ------------------------------------------------------------------------

  private void look() {
    ended = control.look();
    if (ended != null) {
      quietSince = System.nanoTime();
    }
  }

  /// Ends the connection when all messages of the peer have been received, or no more can arrive.
  /// While no receive is posted, messages may be waiting for one.
  private void checkEnd() {
    ControlSocket.End end = ended;
    if (end == null || (receives.size() == 0 && sends.size() == 0)) {
      return;
    }
    long quiet = System.nanoTime() - quietSince;
    boolean all = end.sent() >= 0 && received >= end.sent();
    if (all || quiet > (end.sent() < 0 ? LOST_NANOS : CLOSED_NANOS)) {
      failInside(end.why());
    }
  }

  // ---- waiting -------------------------------------------------------------------------------

  @Override
  public long arm(Thread sleeper, boolean atSends) {
    queues.sleeps(sleeper, atSends);
    if (!lock.tryLock()) {
      return LEAST_NAP_NANOS;
    }
    try {
      if (failure == null && ended == null) {
        look();
      }
      napNanos = Math.min(2 * napNanos, MOST_NAP_NANOS);
      return failure == null ? napNanos : 1;
    } finally {
      lock.unlock();
    }
  }

  // ---- registration --------------------------------------------------------------------------

  @Override
  public long register(MemorySegment memory, boolean writable) throws IOException {
    lock.lock();
    try {
      Failure why = failure;
      if (why != null) {
        throw new DeviceException(why.fault(), why.why());
      }
      return endpoint.register(memory, writable);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void unregister(long key) {
    lock.lock();
    try {
      if (failure == null) { // the end of the endpoint was the end of its registrations
        endpoint.unregister(key);
      }
    } finally {
      lock.unlock();
    }
  }

  // ---- the end -------------------------------------------------------------------------------

  @Override
  public @Nullable Failure failure() {
    return failure;
  }

  private void failInside(Failure why) {
    end(why, -1);
  }

  @Override
  public void end(Failure why) {
    lock.lock();
    try {
      if (failure == null) {
        progress(); // what has come is read, so that closing does not throw away what was sent
      }
      end(why, sent);
    } finally {
      lock.unlock();
    }
  }

  /// Closes the endpoint, so that the provider no longer accesses the memory of posted descriptors.
  private void end(Failure why, long messages) {
    if (failure != null) {
      return;
    }
    failure = why;
    control.end(messages);
    boolean released = closeEndpoint();
    flights.endAll(released);
    if (released) {
      staging.close();
    }
    queues.unparkBoth();
  }

  private boolean closeEndpoint() {
    return sameProcess
        ? SameProcess.end(receiveTag ^ sendTag, endpoint, flights)
        : endpoint.release();
  }

  @Override
  public void close() {
    end(Failure.CLOSED);
  }
}
