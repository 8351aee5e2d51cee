package sluice.loop;

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

  private final Engine engine;
  private final int index;
  private final int fd;
  private final Runnable ready;
  private boolean armed;
  private boolean closed;

  DescriptorWatch(Engine engine, int index, int fd, Runnable ready) {
    this.engine = engine;
    this.index = index;
    this.fd = fd;
    this.ready = ready;
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
    int result = engine.pollOnce(fd, events, Token.of(Token.POLL, 0, index));
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
        engine.cancel(Token.of(Token.POLL, 0, index));
      }
    }
  }

  /// The engine is closed, and with it all that it waited for.
  void engineEnded() {
    armed = false;
    closed = true;
  }

  void completed() {
    armed = false;
    if (!closed) {
      ready.run();
    }
  }
}
