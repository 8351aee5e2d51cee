package sluice.domain.portal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The open calls of one service: a list through the calls themselves, so that a call allocates
/// nothing for it. Under the service's monitor.
final class ServiceCalls<C extends ServiceCalls.Entry<C>> {
  /// A call as the list knows it.
  abstract static class Entry<C> {
    private @Nullable C older;
    private @Nullable C newer;
  }

  private @Nullable C newest;

  boolean isEmpty() {
    return newest == null;
  }

  void add(C call) {
    C before = newest;
    entry(call).older = before;
    if (before != null) {
      entry(before).newer = call;
    }
    newest = call;
  }

  /// Without effect if the call is not open.
  void remove(C call) {
    C older = entry(call).older;
    C newer = entry(call).newer;
    if (newer != null) {
      entry(newer).older = older;
    } else if (newest == call) {
      newest = older;
    } else {
      return;
    }
    if (older != null) {
      entry(older).newer = newer;
    }
    entry(call).older = null;
    entry(call).newer = null;
  }

  List<C> all() {
    List<C> all = new ArrayList<>();
    for (C call = newest; call != null; call = entry(call).older) {
      all.add(call);
    }
    return all;
  }

  private Entry<C> entry(C call) {
    return call;
  }
}
