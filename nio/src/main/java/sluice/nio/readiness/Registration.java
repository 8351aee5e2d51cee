package sluice.nio.readiness;

import static sluice.sys.Epoll.EPOLLERR;
import static sluice.sys.Epoll.EPOLLHUP;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/// The state of one descriptor in a selector and in the kernel. The holder of the [InterestTable]'s
/// lock reads and writes it.
///
/// It outlives its key: a channel that is deregistered and registered again, as some servers do for
/// each request, finds its descriptor still in the kernel's set.
final class Registration {
  final int fd;

  /// The generation, which distinguishes events of this file from those of an earlier file with the
  /// same number.
  int generation;

  /// The channel whose file the kernel watches, also after its key is gone. The reference is weak,
  /// so that the channel may be collected.
  private @Nullable WeakReference<SelChImpl> channel;

  @Nullable SelectionKeyImpl key;

  /// The `EPOLL` bits of the key's current interest.
  int wanted;

  boolean inKernel;

  /// The `EPOLL` bits in the kernel's set, without mode bits.
  int kernelEvents;

  /// True if the kernel reports changes only. Dropping the interest then needs no call, and
  /// restoring it needs one check of the state.
  boolean edge;

  /// The bits that were not ready at the last report: the kernel will report them. The other wanted
  /// bits may be ready although no new edge will report it.
  int quiet;

  /// True if it is on the [RecheckList].
  boolean listed;

  /// The bits found by a check.
  int found;

  /// The number of the wait with this registration among its results, so that it is reported once.
  long reportedAt;

  /// The weight of the consecutive reports after which the interest was still there, which means
  /// that it does not toggle.
  int steady;

  /// True if its interest was set since the last select.
  boolean touched;

  /// The number of reports since the interest was dropped.
  int unwanted;

  Registration(int fd) {
    this.fd = fd;
  }

  /// Returns true if the kernel watches this channel's file.
  boolean isOf(SelChImpl asked) {
    return channel != null && channel.refersTo(asked);
  }

  /// Resets the state for another file with the same number.
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

  /// Returns true if it is edge-triggered and wanted, and may be ready without being reported.
  boolean needsRecheck() {
    return edge && (wanted & ~quiet) != 0;
  }

  /// Records ready bits. An error or the end of the stream makes every operation ready.
  void heard(int bits) {
    quiet = (bits & (EPOLLERR | EPOLLHUP)) == 0 ? quiet & ~bits : 0;
  }

  /// Returns the data that comes back with each event.
  long data() {
    return (long) generation << 32 | fd;
  }
}
