package sluice.nio.front;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;
import sluice.http.front.FrontLink;
import sluice.http.front.FrontedConnection;
import sluice.memory.View;
import sluice.nio.channels.SluiceSocketChannel;
import sluice.nio.channels.StreamEnd;
import sluice.nio.channels.StreamPort;
import sluice.nio.descriptors.ByteMover;
import sluice.sys.Errno;
import sluice.sys.Files;

/// A port for a connection that the application shares with the front. Input that the front
/// forwards to the application is buffered here until the channel reads it. The channel sends on
/// its own descriptor.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `bytes`, `from`, `to`, `full`, `ended`, `reset` | the front's loop, readers | under this object's lock | the same |
/// | `channel` | the accepting thread | volatile | volatile |
/// | `told` | the front's loop | plain | plain |
/// | `endsFirst` | the closing thread | plain | plain |
///
/// Limits: when [#LIMIT] bytes are buffered, the front stops delivering input until half of them
/// have been read.
final class FrontStream implements StreamPort, FrontLink {
  static final int LIMIT = 64 << 10;

  private static final byte[] NONE = {};

  private final FrontListener listener;
  private final FrontedConnection connection;
  private final int fd;
  private volatile @Nullable SluiceSocketChannel channel;
  private boolean told;

  private byte[] bytes = NONE;
  private int from;
  private int to;
  private boolean full;
  private boolean ended;
  private boolean reset;

  /// True if a FIN is sent before the reset for unread bytes, as when the JDK closes a socket.
  private boolean endsFirst;

  /// @param fd a descriptor of the connection, which the channel will close
  FrontStream(FrontListener listener, FrontedConnection connection, int fd) {
    this.listener = listener;
    this.connection = connection;
    this.fd = fd;
  }

  int fd() {
    return fd;
  }

  /// Attaches this stream to the channel that was created when the application accepted the
  /// connection.
  void serve(SluiceSocketChannel taken) {
    taken.port(this);
    channel = taken;
  }

  /// Closes a connection that the application will not accept.
  void drop() {
    Files.close(fd);
    connection.dropped();
  }

  // ---- the front's loop -----------------------------------------------------------------------

  @Override
  public boolean received(View view, int start, int end) {
    int count = end - start;
    boolean room;
    synchronized (this) {
      makeRoom(count);
      view.copyTo(start, bytes, to, count);
      to += count;
      full = to - from >= LIMIT;
      room = !full;
    }
    tell();
    return room;
  }

  private void makeRoom(int count) {
    if (bytes.length - to >= count) {
      return;
    }
    int held = to - from;
    byte[] target = bytes;
    if (bytes.length < held + count) {
      target = new byte[Math.max(1024, Integer.highestOneBit(held + count - 1) << 1)];
    }
    System.arraycopy(bytes, from, target, 0, held);
    bytes = target;
    from = 0;
    to = held;
  }

  @Override
  public void ended() {
    synchronized (this) {
      ended = true;
    }
    tell();
  }

  @Override
  public void reset() {
    synchronized (this) {
      reset = true;
    }
    tell();
  }

  private void tell() {
    if (!told) {
      told = true;
      listener.tell(this);
    }
  }

  void notifyReady() {
    told = false;
    SluiceSocketChannel reader = channel;
    if (reader != null) {
      reader.core().inputCame();
    }
  }

  // ---- the channel: input ---------------------------------------------------------------------

  @Override
  public boolean bringsAll() {
    return true;
  }

  @Override
  public int take(ByteBuffer buffer) {
    int count;
    boolean resume;
    synchronized (this) {
      count = Math.min(buffer.remaining(), to - from);
      buffer.put(bytes, from, count);
      resume = taken(count);
    }
    if (resume) {
      connection.resume();
    }
    return count;
  }

  @Override
  public int receive(MemorySegment segment, long offset, int length) {
    int count;
    boolean resume;
    synchronized (this) {
      count = Math.min(length, to - from);
      if (count == 0 && length > 0) {
        return reset ? -Errno.ECONNRESET : ended ? ByteMover.EOF : -Errno.EAGAIN;
      }
      MemorySegment.copy(bytes, from, segment, ValueLayout.JAVA_BYTE, offset, count);
      resume = taken(count);
    }
    if (resume) {
      connection.resume();
    }
    return count;
  }

  /// Advances the read position past bytes that have been read.
  ///
  /// @return true if the front can deliver input again because enough space has become available
  private boolean taken(int count) {
    from += count;
    if (from == to) {
      from = 0;
      to = 0;
      if (bytes.length > LIMIT / 4) {
        bytes = NONE;
      }
    }
    boolean resume = full && to - from <= LIMIT / 2;
    full &= !resume;
    return resume;
  }

  @Override
  public boolean holdsUnread() {
    return heldBytes() > 0;
  }

  @Override
  public synchronized int heldBytes() {
    return to - from;
  }

  @Override
  public synchronized boolean readable() {
    return to > from || ended || reset;
  }

  @Override
  public int readyHere() {
    return readable() ? SelectionKey.OP_READ : 0;
  }

  // ---- the channel: output and end ------------------------------------------------------------

  @Override
  public boolean stage(ByteBuffer buffer) {
    return false;
  }

  @Override
  public int send(MemorySegment segment, long offset, int length) {
    return connection.send(fd, segment, offset, length);
  }

  @Override
  public boolean flush() {
    return true;
  }

  @Override
  public boolean flushBeforeShutdown() {
    return connection.shutsDownOutput();
  }

  @Override
  public void release() {
    // Ignored, because the channel always belongs to the front.
  }

  @Override
  public void beforeClose() {
    SluiceSocketChannel own = channel;
    endsFirst = own != null && own.core().behavesAsSocket();
    int _ = StreamEnd.doNotWait(fd);
  }

  /// Passes the end of the connection to the loop. The loop holds the last descriptor of the
  /// connection and closes it in the same way as a channel without a front would be closed.
  @Override
  public void closed() {
    connection.closed(endsFirst);
  }
}
