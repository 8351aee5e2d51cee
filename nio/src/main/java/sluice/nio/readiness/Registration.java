package sluice.nio.readiness;

import static sluice.sys.Epoll.EPOLLERR;
import static sluice.sys.Epoll.EPOLLHUP;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/// What one selector and the kernel know about one descriptor. The holder of the [InterestTable]'s
/// lock reads and writes it.
///
/// It outlives its key: a channel that is deregistered and registered again, as some servers do for
/// each request, finds its descriptor still in the kernel's set.
final class Registration {
  final int fd;

  /// Tells an event of this file from one of a file that had the same number.
  int generation;

  /// The channel whose file the kernel watches, also after its key is gone: then it may be
  /// collected.
  private @Nullable WeakReference<SelChImpl> channel;

  @Nullable SelectionKeyImpl key;

  /// `EPOLL` bits that the key's interest means now.
  int wanted;

  boolean inKernel;

  /// `EPOLL` bits in the kernel's set, without mode bits.
  int kernelEvents;

  /// Whether the kernel reports changes only. Then dropping the interest needs no call, and having
  /// it again needs a look at the state once.
  boolean edge;

  /// Bits that were not ready when last heard of: the kernel will report them. The other wanted
  /// bits may be ready although no new edge will say so.
  int quiet;

  /// On the [RecheckList].
  boolean listed;

  /// Bits that looking found.
  int found;

  /// The wait that has this registration among its results, so that it is reported once.
  long reportedAt;

  /// Weight of the reports in a row after which the interest was still there: no toggling.
  int steady;

  /// Whether its interest was set since the last select.
  boolean touched;

  /// Reports since the interest was dropped.
  int unwanted;

  Registration(int fd) {
    this.fd = fd;
  }

  /// Whether the kernel watches this channel's file.
  boolean isOf(SelChImpl asked) {
    return channel != null && channel.refersTo(asked);
  }

  /// Begins anew for another file with the same number.
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

  /// Edge mode: wanted, and perhaps ready without being reported.
  boolean needsRecheck() {
    return edge && (wanted & ~quiet) != 0;
  }

  /// Takes note of ready bits. An error or the end of the stream is readiness of every kind.
  void heard(int bits) {
    quiet = (bits & (EPOLLERR | EPOLLHUP)) == 0 ? quiet & ~bits : 0;
  }

  /// What comes back with each event.
  long data() {
    return (long) generation << 32 | fd;
  }
}
