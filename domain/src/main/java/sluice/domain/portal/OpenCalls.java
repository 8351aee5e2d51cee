package sluice.domain.portal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The calls of a service that have no outcome yet: a list through the calls, so that a call costs
/// neither an entry nor an identity hash. Under the service's monitor.
final class OpenCalls {
  private @Nullable ServiceCall first;

  boolean isEmpty() {
    return first == null;
  }

  void add(ServiceCall call) {
    ServiceCall head = first;
    call.isOpen = true;
    call.after = head;
    if (head != null) {
      head.before = call;
    }
    first = call;
  }

  /// Does nothing if it is not here.
  void remove(ServiceCall call) {
    if (!call.isOpen) {
      return;
    }
    call.isOpen = false;
    ServiceCall before = call.before;
    ServiceCall after = call.after;
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
  }

  List<ServiceCall> copy() {
    List<ServiceCall> all = new ArrayList<>();
    for (ServiceCall call = first; call != null; call = call.after) {
      all.add(call);
    }
    return all;
  }
}
