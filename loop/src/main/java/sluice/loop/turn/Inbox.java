package sluice.loop.turn;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A queue of tasks from other threads for the loop, first in first out. Any thread adds; the
/// loop's thread takes all there are at once.
///
/// It is a stack of nodes that the taker reverses: one compare-and-set to add, one exchange to take
/// everything.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | top | any thread | acquire | compareAndSet (add), getAndSet (take) |
/// | Node.next | the adder, then the taker | plain | plain before the release of `top` |
public final class Inbox {
  private static final VarHandle TOP;

  static {
    try {
      TOP = MethodHandles.lookup().findVarHandle(Inbox.class, "top", Node.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final class Node {
    final Runnable task;
    @Nullable Node next;

    Node(Runnable task) {
      this.task = task;
    }
  }

  @SuppressWarnings("unused") // through TOP
  private volatile @Nullable Node top;

  public void add(Runnable task) {
    Node node = new Node(task);
    Node seen;
    do {
      seen = top;
      node.next = seen;
    } while (!TOP.compareAndSet(this, seen, node));
  }

  public boolean isEmpty() {
    return top == null;
  }

  /// Passes everything that was added before the call to `runner`, in the order of adding.
  ///
  /// @param runner must not throw: the rest would be lost
  public void runAll(Consumer<Runnable> runner) {
    if (top == null) {
      return;
    }
    Node node = reversed((Node) TOP.getAndSet(this, null));
    for (; node != null; node = node.next) {
      runner.accept(node.task);
    }
  }

  private static @Nullable Node reversed(@Nullable Node last) {
    Node first = null;
    Node node = last;
    while (node != null) {
      Node next = node.next;
      node.next = first;
      first = node;
      node = next;
    }
    return first;
  }
}
