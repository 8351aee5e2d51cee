package sluice.nio.readiness;

import static sluice.sys.Epoll.EPOLLERR;
import static sluice.sys.Epoll.EPOLLHUP;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/// The state of one descriptor in a selector and in the kernel. It is guarded by the lock of the
/// [InterestTable].
///
/// A registration outlives its key. If a channel is deregistered and registered again, as some
/// servers do for each request, its descriptor is still in the kernel's set.
final class Registration {
  final int fd;

  /// The generation, which distinguishes the events of this file from those of an earlier file that
  /// had the same descriptor number.
  int generation;

  /// The channel whose file is watched by the kernel, even after its key has been removed. The
  /// reference is weak so that the channel can be collected.
  private @Nullable WeakReference<SelChImpl> channel;

  @Nullable SelectionKeyImpl key;

  /// The `EPOLL` bits of the key's current interest.
  int wanted;

  boolean inKernel;

  /// The `EPOLL` bits in the kernel's set, without mode bits.
  int kernelEvents;

  /// True if the registration is edge-triggered. Dropping the interest then requires no system
  /// call, and restoring the interest requires a single check of the state.
  boolean edge;

  /// The bits that were not ready at the last report, and which the kernel will therefore report.
  /// The other wanted bits may be ready although no new edge will report them.
  int quiet;

  /// True if this registration is on the [RecheckList].
  boolean listed;

  /// The bits that were found to be ready by a check.
  int found;

  /// The number of the last wait whose results included this registration, which ensures that it is
  /// reported only once per wait.
  long reportedAt;

  /// The accumulated weight of consecutive reports after which the interest was still set. A high
  /// weight means that the application does not toggle the interest.
  int steady;

  /// True if the interest has been set since the last select.
  boolean touched;

  /// The number of reports since the interest was dropped.
  int unwanted;

  Registration(int fd) {
    this.fd = fd;
  }

  /// Returns true if the kernel watches the file of the given channel.
  boolean isOf(SelChImpl asked) {
    return channel != null && channel.refersTo(asked);
  }

  /// Resets the state because another file now has the same descriptor number.
  void reset(@Nullable SelChImpl newChannel) {
    generation++;
    channel = newChannel == null ? null : new WeakReference<>(newChannel);
    key = null;
    wanted = 0;
    inKernel = false;
    kernelEvents = 0;
    edge = false;
    quiet = 0;
    found = 0;
    reportedAt = 0;
    steady = 0;
    touched = false;
    unwanted = 0;
  }

  /// Returns true if this registration is edge-triggered, has an interest, and may be ready without
  /// being reported.
  boolean needsRecheck() {
    return edge && (wanted & ~quiet) != 0;
  }

  /// Records that the given bits are ready. An error or the end of the stream makes all operations
  /// ready.
  void heard(int bits) {
    quiet = (bits & (EPOLLERR | EPOLLHUP)) == 0 ? quiet & ~bits : 0;
  }

  /// Returns the user data that the kernel attaches to each event.
  long data() {
    return (long) generation << 32 | fd;
  }
}
