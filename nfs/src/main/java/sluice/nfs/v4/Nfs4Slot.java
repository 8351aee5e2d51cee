package sluice.nfs.v4;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// One slot of a session: what makes a request be done exactly once (RFC 8881, section 2.10.6.1).
/// The thread that has begun it owns it until it ends; beginning never waits.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | taken | the thread that takes it | volatile | compareAndSet |
/// | sequence, used, reply, request, uid | the thread that has taken it | plain, between begin and end | plain |
final class Nfs4Slot {
  private final AtomicBoolean taken = new AtomicBoolean();

  /// The last request that was done; 0 before the first, and again after 2^32 of them.
  private int sequence;

  /// Whether one was done.
  private boolean used;

  private byte @Nullable [] reply;
  private int request;
  private int uid;

  /// Takes it.
  ///
  /// @return false when a request of the slot is being done
  boolean take() {
    return taken.compareAndSet(false, true);
  }

  /// Gives it back as it was: the request has not been done.
  void abandon() {
    taken.set(false);
  }

  /// Whether the last request comes again.
  boolean isRetry(int asked) {
    return asked == sequence && used;
  }

  boolean isNext(int asked) {
    return asked == sequence + 1;
  }

  /// The last reply if it was kept.
  byte @Nullable [] reply() {
    return reply;
  }

  /// Whether a retry is the request whose reply was kept.
  boolean isSame(int checksum, int caller) {
    return request == checksum && uid == caller;
  }

  /// Gives it back: a request was done, its reply is not kept.
  void done(int number) {
    sequence = number;
    used = true;
    reply = null;
    taken.set(false);
  }

  /// Gives it back: a request was done.
  ///
  /// @param checksum of the request
  /// @param caller whose it was
  void done(int number, byte[] kept, int checksum, int caller) {
    sequence = number;
    used = true;
    reply = kept;
    request = checksum;
    uid = caller;
    taken.set(false);
  }
}
