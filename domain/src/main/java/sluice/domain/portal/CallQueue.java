package sluice.domain.portal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A queue of calls for one thread of a service. It is a linked list with one owner per end: calls
/// are added under the service's monitor and removed by the service's thread.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | next | the thread that adds | acquire | volatile: a thread that is woken afterwards sees it |
/// | last | the thread that adds | under the monitor | under the monitor |
/// | taken | the service's thread | plain | plain |
final class CallQueue {
  private static final VarHandle NEXT;

  static {
    try {
      NEXT = MethodHandles.lookup().findVarHandle(Node.class, "next", Node.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final class Node {
    private OpenCalls.@Nullable Entry call;

    @SuppressWarnings("unused") // through its handle
    private @Nullable Node next;

    Node(OpenCalls.@Nullable Entry call) {
      this.call = call;
    }
  }

  /// The node whose call was removed last. Initially, this is a node without a call.
  private Node taken = new Node(null);

  private Node last = taken;

  void add(OpenCalls.Entry call) {
    Node added = new Node(call);
    NEXT.setVolatile(last, added);
    last = added;
  }

  /// Returns true if there is no call. Called by the service's thread.
  boolean isEmpty() {
    return NEXT.getAcquire(taken) == null;
  }

  /// Removes and returns the next call, or returns null if there is none. Called by the service's
  /// thread.
  OpenCalls.@Nullable Entry poll() {
    Node next = (Node) NEXT.getAcquire(taken);
    if (next == null) {
      return null;
    }
    taken = next;
    OpenCalls.Entry call = next.call;
    next.call = null;
    return call;
  }
}
