package sluice.loop.readiness;

import static sluice.sys.Errno.EBADF;
import static sluice.sys.Errno.EINTR;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// A demultiplexer based on a JDK [Selector], for systems that do not have a better mechanism.
/// Owned by the engine's thread, except [#wake].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | wakePending | any thread sets, owner clears | getAndSet | set |
/// | ready, events, count | owner | plain | plain |
///
/// Waits have the selector's resolution of one millisecond, rounded up.
final class JdkDemultiplexer implements Demultiplexer {
  private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final Selector selector;
  private final JdkSockets sockets;
  private final AtomicBoolean wakePending = new AtomicBoolean();
  private final Consumer<SelectionKey> collector = this::collect;
  private int[] ready = new int[64];
  private int[] events = new int[64];
  private int count;
  private long calls;

  JdkDemultiplexer(JdkSockets sockets) throws IOException {
    this.selector = Selector.open();
    this.sockets = sockets;
  }

  @Override
  public int update(ReadinessSocket socket, int wanted) {
    SelectableChannel channel = sockets.channel(socket.number);
    SelectionKey key = channel == null ? null : channel.keyFor(selector);
    socket.registered = wanted;
    if (channel == null || (key == null && wanted == 0)) {
      return wanted == 0 ? 0 : -EBADF;
    }
    calls++; // the selector makes it before it waits
    try {
      int operations = operations(channel, socket, wanted);
      if (key == null) {
        channel.register(selector, operations, socket);
      } else {
        key.interestOps(operations);
      }
      return 0;
    } catch (ClosedChannelException | CancelledKeyException e) {
      return wanted == 0 ? 0 : -EBADF; // a failed connect closes its channel
    }
  }

  /// Deregisters a channel. A selector keeps a cancelled channel open and listening until its next
  /// selection, so a selection is performed here. Events found by it are found again by the next
  /// wait.
  @Override
  public void forget(ReadinessSocket socket) {
    SelectableChannel channel = sockets.channel(socket.number);
    SelectionKey key = channel == null ? null : channel.keyFor(selector);
    if (key == null) {
      return;
    }
    key.cancel();
    calls++;
    try {
      selector.selectNow(ignored -> {});
    } catch (IOException e) {
      throw new UncheckedIOException("selector failed", e);
    }
    if (wakePending.get()) {
      selector.wakeup(); // the next wait must end by it
    }
  }

  private static int operations(SelectableChannel channel, ReadinessSocket socket, int wanted) {
    if (channel instanceof ServerSocketChannel) {
      return (wanted & IN) != 0 ? SelectionKey.OP_ACCEPT : 0;
    }
    int operations = (wanted & IN) != 0 ? SelectionKey.OP_READ : 0;
    if ((wanted & OUT) != 0) {
      operations |= socket.connectToken != 0 ? SelectionKey.OP_CONNECT : SelectionKey.OP_WRITE;
    }
    return operations;
  }

  @Override
  public int await(long timeoutNanos) {
    count = 0;
    calls++;
    try {
      if (timeoutNanos == 0) {
        selector.selectNow(collector);
      } else {
        long millis = timeoutNanos < 0 ? 0 : (timeoutNanos - 1) / NANOS_PER_MILLI + 1;
        selector.select(collector, millis);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("selector failed", e);
    }
    return count == 0 && Thread.currentThread().isInterrupted() ? -EINTR : count;
  }

  private void collect(SelectionKey key) {
    if (!(key.attachment() instanceof ReadinessSocket socket)) {
      return;
    }
    if (count == ready.length) {
      ready = Arrays.copyOf(ready, 2 * count);
      events = Arrays.copyOf(events, 2 * count);
    }
    int operations = key.readyOps();
    boolean in = (operations & (SelectionKey.OP_READ | SelectionKey.OP_ACCEPT)) != 0;
    boolean out = (operations & (SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT)) != 0;
    ready[count] = socket.number;
    events[count] = (in ? IN : 0) | (out ? OUT : 0);
    count++;
  }

  @Override
  public int socket(int index) {
    return ready[index];
  }

  @Override
  public int events(int index) {
    return events[index];
  }

  @Override
  public boolean woken() {
    return wakePending.getAndSet(false);
  }

  /// Ends the wait. The flag is set first, because a selection that returns without the flag being
  /// set would wait again.
  @Override
  public void wake() {
    wakePending.set(true);
    selector.wakeup();
  }

  @Override
  public long calls() {
    return calls;
  }

  @Override
  public void close() {
    try {
      selector.close();
    } catch (IOException e) {
      throw new UncheckedIOException("selector cannot be closed", e);
    }
  }
}
