package sluice.nfs.v4;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A slot of a session, which makes the server run each request exactly once (RFC 8881, section
/// 2.10.6.1). The thread that has taken the slot owns it until it gives it back; taking never
/// waits.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | taken | the thread that takes it | volatile | compareAndSet |
/// | sequence, used, reply, request, uid | the thread that has taken it | plain, between begin and end | plain |
final class Nfs4Slot {
  private final AtomicBoolean taken = new AtomicBoolean();

  /// The sequence number of the last request; 0 before the first, and again after 2^32 requests.
  private int sequence;

  /// True after the first request.
  private boolean used;

  private byte @Nullable [] reply;
  private int request;
  private int uid;

  /// Takes the slot.
  ///
  /// @return false if a request of the slot is in progress
  boolean take() {
    return taken.compareAndSet(false, true);
  }

  /// Releases the slot unchanged: the request was not run.
  void abandon() {
    taken.set(false);
  }

  /// Returns true if a sequence number is the number of the last request.
  boolean isRetry(int asked) {
    return asked == sequence && used;
  }

  boolean isNext(int asked) {
    return asked == sequence + 1;
  }

  /// Returns the reply to the last request, or null if it was not cached.
  byte @Nullable [] reply() {
    return reply;
  }

  /// Returns true if a retry equals the request whose reply was cached.
  boolean isSame(int checksum, int caller) {
    return request == checksum && uid == caller;
  }

  /// Releases the slot after a request whose reply is not cached.
  void done(int number) {
    sequence = number;
    used = true;
    reply = null;
    taken.set(false);
  }

  /// Releases the slot after a request and caches its reply.
  ///
  /// @param checksum the checksum of the request
  /// @param caller the user of the request
  void done(int number, byte[] kept, int checksum, int caller) {
    sequence = number;
    used = true;
    reply = kept;
    request = checksum;
    uid = caller;
    taken.set(false);
  }
}
