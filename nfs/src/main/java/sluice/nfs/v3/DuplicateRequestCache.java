package sluice.nfs.v3;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.nfs.rpc.DuplicateKey;

/// The duplicate request cache: answers to calls that must not be done twice (Juszczak, "Improving
/// the Performance and Correctness of an NFS Server", USENIX 1989). Any thread may call; a repeated
/// call waits for the first.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | working, done | any thread | under the monitor | under the monitor |
///
/// Limits: so many answers, the oldest goes first; of calls being worked on there are as many as
/// the server lets in.
final class DuplicateRequestCache {
  private final Map<DuplicateKey, Boolean> working = new HashMap<>();
  private final Map<DuplicateKey, byte[]> done;

  /// @param most answers
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

  /// Begins a call, or finds what was answered. Waits while the same call is being worked on.
  ///
  /// @param beforeWaiting runs once if it has to wait
  /// @return null when it is new: the caller must [#end] it
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

  /// Ends what [#begin] began.
  ///
  /// @param answer not to be changed afterwards; null when there is none: the call may be repeated
  synchronized void end(DuplicateKey call, byte @Nullable [] answer) {
    working.remove(call);
    if (answer != null) {
      done.put(call, answer);
    }
    notifyAll();
  }

  /// Adds an answer that was given before the server was started.
  synchronized void restore(DuplicateKey call, byte[] answer) {
    done.put(call, answer);
  }

  synchronized int size() {
    return done.size();
  }
}
