package sluice.http.handlers;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.memory.View;

/// The body of a request while it is arriving. It is a ring buffer into which the loop's thread
/// writes the received bytes, and from which the thread that handles the request reads them.
/// Several threads may read, but only one at a time. A read blocks until the client sends bytes,
/// and can be interrupted.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | put, full | loop; `full` is taken back by the reader | volatile | volatile |
/// | taken, waiter | reader | volatile | volatile |
/// | end | the first to know it | volatile | under the monitor, after the last put |
/// | ring | loop; null at the end | volatile | volatile |
final class StreamedBody extends InputStream {
  /// The reason why no more bytes will arrive.
  private sealed interface End {
    /// The body is complete.
    record Whole() implements End {}

    /// A part of the body is missing, or the body is malformed.
    record Broken(int status) implements End {}

    /// The connection has been closed.
    record Gone() implements End {}

    /// The request was answered.
    record Over() implements End {}
  }

  private final Runnable roomCame;
  private final ReentrantLock reading = new ReentrantLock();
  private volatile byte @Nullable [] ring;
  private volatile long put;
  private volatile long taken;
  private volatile boolean full;
  private volatile @Nullable End end;
  private volatile @Nullable Thread waiter;

  /// @param bytes the maximum number of buffered bytes
  /// @param roomCame invoked by a reader when space has become available
  StreamedBody(int bytes, Runnable roomCame) {
    this.roomCame = roomCame;
    ring = new byte[bytes];
  }

  // ---- the loop's side ----------------------------------------------------------------------

  /// Returns the number of bytes that can be written. After the end this is never 0. If it is 0,
  /// `roomCame` is invoked when half of the ring has been read.
  int room() {
    int room = free();
    if (room == 0) {
      full = true;
      room = free(); // a reader that made room before did not see `full`
    }
    return room;
  }

  private int free() {
    byte[] into = ring;
    return into == null ? Integer.MAX_VALUE : into.length - (int) (put - taken);
  }

  /// Writes bytes for which there is space. After the end, the bytes are discarded.
  void put(View view, int from, int count) {
    byte[] into = ring;
    if (into == null || count == 0) {
      return;
    }
    long at = put;
    int place = (int) (at % into.length);
    int first = Math.min(count, into.length - place);
    view.copyTo(from, into, place, first);
    view.copyTo(from + first, into, 0, count - first);
    full = false;
    put = at + count;
    wake();
  }

  /// Ends the body after all of it has been written.
  void whole() {
    end(new End.Whole());
  }

  /// Ends the body although a part of it is missing. The bytes written before can still be read,
  /// after which reads throw an exception.
  ///
  /// @param status the status that is sent to the client
  void broken(int status) {
    end(new End.Broken(status));
  }

  /// Ends the body because the client has disconnected. The bytes written before can still be read.
  void gone() {
    end(new End.Gone());
  }

  /// Ends the body because the request was answered or will be answered by another handler. Reads
  /// throw an exception, and the ring is released.
  void over() {
    synchronized (this) {
      end = new End.Over();
      ring = null;
    }
    wake();
  }

  private void end(End reason) {
    synchronized (this) {
      if (end == null) {
        end = reason;
      }
    }
    wake();
  }

  private void wake() {
    Thread thread = waiter;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  /// Returns the status of a broken body, or 0 if the body is not broken.
  int brokenStatus() {
    return end instanceof End.Broken(int status) ? status : 0;
  }

  // ---- the reader's side --------------------------------------------------------------------

  /// Returns the number of bytes read.
  long takenBytes() {
    return taken;
  }

  /// Returns true while a thread is waiting for the client to send more bytes.
  boolean isAwaited() {
    return waiter != null && put == taken;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int from, int most) throws IOException {
    Objects.checkFromIndexSize(from, most, into.length);
    if (most == 0) {
      return 0;
    }
    try {
      reading.lockInterruptibly();
      try {
        return awaitAndTake(into, from, most);
      } finally {
        reading.unlock();
      }
    } catch (InterruptedException e) {
      throw Interrupts.asFailure(e, "interrupted in a body");
    }
  }

  private int awaitAndTake(byte[] into, int from, int most)
      throws IOException, InterruptedException {
    waiter = Thread.currentThread();
    try {
      while (true) {
        End known = end; // read before the positions: no bytes are put after the end
        long ready = put - taken;
        if (ready > 0 && !(known instanceof End.Over)) {
          return take(into, from, (int) Math.min(ready, most));
        }
        switch (known) {
          case End.Whole _ -> {
            return -1;
          }
          case End.Broken(int status) -> throw new BrokenBodyException(status);
          case End.Gone _ -> throw new ClientGoneException();
          case End.Over _ -> throw new IOException("the request has been answered");
          case null -> LockSupport.park(this);
        }
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    } finally {
      waiter = null;
    }
  }

  private int take(byte[] into, int from, int count) throws IOException {
    byte[] source = ring;
    if (source == null) {
      throw new IOException("the request has been answered");
    }
    long at = taken;
    int place = (int) (at % source.length);
    int first = Math.min(count, source.length - place);
    System.arraycopy(source, place, into, from, first);
    System.arraycopy(source, 0, into, from + first, count - first);
    taken = at + count;
    if (full && put - taken <= source.length / 2) {
      full = false;
      roomCame.run();
    }
    return count;
  }

  @Override
  public int available() {
    return end instanceof End.Over ? 0 : (int) (put - taken);
  }
}
