package sluice.loop;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Engine;
import sluice.loop.engine.Token;
import sluice.sys.Errno;

/// A descriptor that is no connection, and that a loop waits for: a datagram socket, for example.
/// Owned by the loop's thread.
///
/// A wait is for once: a caller that wants to hear again arms again, after it has used up what
/// there was. The descriptor belongs to the opener of the watch; it is closed after [#close], in
/// [Loop#onClose] at the latest.
public final class DescriptorWatch {
  /// `poll(2)`: there is something to read.
  public static final int READABLE = 1;

  /// `poll(2)`: there is room to write.
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

  /// The open watches of one loop, by the slots in their tokens. A slot whose watch is closed is
  /// used again, under another generation: a completion that comes late finds nothing.
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

    /// The engine is closed, and with it all that it waited for.
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

  /// Waits until the descriptor is ready, has an error, or has hung up. Does nothing when it waits
  /// already.
  ///
  /// @param events [#READABLE], [#WRITABLE]
  /// @return false when the engine cannot: that of backend `jdk` has no descriptors
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

  /// Waits no more. Idempotent.
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
