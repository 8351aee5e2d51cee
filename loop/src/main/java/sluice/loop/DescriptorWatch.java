package sluice.loop;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Engine;
import sluice.loop.engine.Token;
import sluice.sys.Errno;

/// A loop's watch on a descriptor that does not belong to a connection, such as a datagram socket.
/// Owned by the loop's thread.
///
/// A wait is one-shot. To receive another notification, the caller arms the watch again after
/// draining the descriptor. The descriptor is owned by the caller that opened the watch, which
/// closes it after [#close], at the latest in [Loop#onClose].
public final class DescriptorWatch {
  /// The `poll(2)` event for a readable descriptor.
  public static final int READABLE = 1;

  /// The `poll(2)` event for a writable descriptor.
  public static final int WRITABLE = 4;

  private final Table table;
  private final long token;
  private final int fd;
  private final Runnable ready;
  private boolean armed;
  private boolean closed;

  private DescriptorWatch(Table table, long token, int fd, Runnable ready) {
    this.table = table;
    this.token = token;
    this.fd = fd;
    this.ready = ready;
  }

  /// The open watches of one loop, identified by the slots in their tokens. A slot is reused with
  /// another generation after its watch has been closed, so a late completion does not match any
  /// watch.
  static final class Table {
    private final Engine engine;
    private final List<@Nullable DescriptorWatch> slots = new ArrayList<>();
    private final List<Long> free = new ArrayList<>();

    Table(Engine engine) {
      this.engine = engine;
    }

    DescriptorWatch add(int fd, Runnable ready) {
      long token = free.isEmpty() ? Token.of(Token.POLL, 0, slots.size()) : free.removeLast();
      DescriptorWatch made = new DescriptorWatch(this, token, fd, ready);
      if (Token.index(token) == slots.size()) {
        slots.add(made);
      } else {
        slots.set(Token.index(token), made);
      }
      return made;
    }

    private void remove(long token) {
      int index = Token.index(token);
      slots.set(index, null);
      free.add(Token.of(Token.POLL, Token.nextGeneration(Token.generation(token)), index));
    }

    void completed(long token) {
      DescriptorWatch found = slots.get(Token.index(token));
      if (found != null && found.token == token) {
        found.completed();
      }
    }

    /// Marks all watches as closed, because the engine is closed.
    void engineEnded() {
      for (DescriptorWatch watch : slots) {
        if (watch != null) {
          watch.armed = false;
          watch.closed = true;
        }
      }
    }

    int slots() {
      return slots.size();
    }
  }

  /// Waits once until the descriptor is ready, has an error, or has been hung up. Has no effect if
  /// the watch is already armed.
  ///
  /// @param events [#READABLE], [#WRITABLE] or both
  /// @return false if the engine does not support descriptors, as with the backend `jdk`
  public boolean arm(int events) {
    if (armed || closed) {
      return true;
    }
    int result = table.engine.pollOnce(fd, events, token);
    if (result == -Errno.EOPNOTSUPP) {
      return false;
    }
    armed = true;
    return true;
  }

  /// Cancels the wait and closes the watch. Idempotent.
  public void close() {
    if (!closed) {
      closed = true;
      if (armed) {
        table.engine.cancel(token);
      }
      table.remove(token);
    }
  }

  private void completed() {
    armed = false;
    if (!closed) {
      ready.run();
    }
  }
}
