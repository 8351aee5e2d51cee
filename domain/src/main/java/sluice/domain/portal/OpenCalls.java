package sluice.domain.portal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The calls of a service that are not yet completed. The list is linked through the calls
/// themselves, so a call requires neither a list node nor an identity hash. Guarded by the
/// service's monitor.
final class OpenCalls {
  /// A call as an element of this list.
  abstract static class Entry {
    private @Nullable Entry before;
    private @Nullable Entry after;
    private boolean isOpen;

    /// Runs the call. Called by a thread of the service.
    ///
    /// @param isLast true if no other call is queued, so that the thread is going to wait after
    ///   this call
    abstract void run(boolean isLast);

    /// Terminates the wait of the caller with an exception.
    abstract void abandon(RuntimeException why);
  }

  private @Nullable Entry first;

  boolean isEmpty() {
    return first == null;
  }

  void add(Entry call) {
    Entry head = first;
    call.isOpen = true;
    call.after = head;
    if (head != null) {
      head.before = call;
    }
    first = call;
  }

  /// Removes a call.
  ///
  /// @return false if the list does not contain it
  boolean remove(Entry call) {
    if (!call.isOpen) {
      return false;
    }
    call.isOpen = false;
    Entry before = call.before;
    Entry after = call.after;
    if (before == null) {
      first = after;
    } else {
      before.after = after;
    }
    if (after != null) {
      after.before = before;
    }
    call.before = null;
    call.after = null;
    return true;
  }

  List<Entry> copy() {
    List<Entry> all = new ArrayList<>();
    for (Entry call = first; call != null; call = call.after) {
      all.add(call);
    }
    return all;
  }
}
