package sluice.nfs.v4;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A slot of a session, which ensures that each request is executed exactly once (RFC 8881, section
/// 2.10.6.1). A thread that has acquired the slot owns it until it releases it. Acquiring a slot
/// never blocks.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | taken | the thread that takes it | volatile | compareAndSet |
/// | sequence, used, reply, request, uid | the thread that has taken it | plain, between begin and end | plain |
final class Nfs4Slot {
  private final AtomicBoolean taken = new AtomicBoolean();

  /// The sequence number of the last request. It is 0 before the first request and again after 2^32
  /// requests.
  private int sequence;

  /// True after the first request has been processed.
  private boolean used;

  private byte @Nullable [] reply;
  private int request;
  private int uid;

  /// Acquires this slot if it is free.
  ///
  /// @return false if a request of the slot is in progress
  boolean take() {
    return taken.compareAndSet(false, true);
  }

  /// Releases the slot without a change, because the request was not executed.
  void abandon() {
    taken.set(false);
  }

  /// Returns true if the given sequence number is the number of the last request.
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

  /// Returns true if a retry is equal to the request whose reply was cached.
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
