package sluice.loop.turn;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A first-in, first-out queue of tasks submitted to the loop by other threads. Any thread may add
/// tasks. The loop's thread removes all of them at once.
///
/// The queue is a stack of nodes that is reversed when it is removed. Adding a task takes one
/// compare-and-set, and removing all tasks takes one exchange.
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

  /// Passes all tasks added before the call to `runner`, in the order in which they were added.
  ///
  /// @param runner must not throw an exception, because the remaining tasks would be lost
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
