package sluice.nfs.v3;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.nfs.rpc.DuplicateKey;

/// The duplicate request cache, which stores the replies to non-idempotent calls (Juszczak,
/// "Improving the Performance and Correctness of an NFS Server", USENIX 1989). This class is
/// thread-safe. A retransmitted call waits until the first transmission has been processed.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | working, done | any thread | under the monitor | under the monitor |
///
/// The number of replies is limited, and the oldest reply is evicted first. The number of calls in
/// progress is limited by the server.
final class DuplicateRequestCache {
  private final Map<DuplicateKey, Boolean> working = new HashMap<>();
  private final Map<DuplicateKey, byte[]> done;

  /// Creates a cache.
  ///
  /// @param most the maximum number of replies
  DuplicateRequestCache(int most) {
    done =
        new LinkedHashMap<>() {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<DuplicateKey, byte[]> eldest) {
            return size() > most;
          }
        };
  }

  /// Begins a call, or returns the reply to an earlier transmission. This method waits while the
  /// same call is in progress.
  ///
  /// @param beforeWaiting an action that is executed once before this method waits
  /// @return null if the call is new, in which case the caller must call [#end]
  byte @Nullable [] begin(DuplicateKey call, Runnable beforeWaiting) {
    synchronized (this) {
      if (!working.containsKey(call)) {
        return found(call);
      }
    }
    beforeWaiting.run();
    return await(call);
  }

  private byte @Nullable [] found(DuplicateKey call) {
    byte[] answer = done.get(call);
    if (answer == null) {
      working.put(call, true);
    }
    return answer;
  }

  private synchronized byte @Nullable [] await(DuplicateKey call) {
    boolean interrupted = false;
    while (working.containsKey(call)) {
      try {
        wait();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return found(call);
  }

  /// Ends a call that was begun by [#begin].
  ///
  /// @param answer the reply, which must not be changed afterwards, or null if the call may be
  ///   executed again
  synchronized void end(DuplicateKey call, byte @Nullable [] answer) {
    working.remove(call);
    if (answer != null) {
      done.put(call, answer);
    }
    notifyAll();
  }

  /// Restores a reply that was sent before the server was restarted.
  synchronized void restore(DuplicateKey call, byte[] answer) {
    done.put(call, answer);
  }

  synchronized int size() {
    return done.size();
  }
}
