package sluice.http.front;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import sluice.loop.Connection;
import sluice.memory.View;
import sluice.memory.ViewBinder;
import sluice.sys.Errno;
import sluice.sys.Sockets;

/// A connection that the loop shares with an application. The loop receives all bytes; both send,
/// but never at the same time: the application while it owes a reply, the loop while none is owed.
/// Any thread may call the methods under "for the application".
///
/// Usually the application's bytes go straight to the socket, on its own thread. The loop is
/// involved only at the end of a reply, if input waits for it. Bytes that the application writes
/// while the loop's output has not been sent are appended to that output.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `tracker`, `loopSends`, `posted`, `inputWaits`, `follower` | any thread | under this object's
/// lock | the same |
/// | `link`, `awaitsSent`, `greeted`, `headTimed`, `over` | loop | plain | plain |
public final class FrontedConnection {
  /// The greatest number of the application's bytes that wait for the loop's output.
  private static final int POSTED_BYTES = 64 << 10;

  private static final int SEND_FLAGS = Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;

  private final Connection connection;
  private final Executor loop;
  private final FrontTracker tracker;
  private final Object session;
  private final Runnable resume = this::resumeHere;

  private @Nullable ViewBinder follower;
  private @Nullable Thread followerOwner;

  /// True if the loop has staged bytes that may not have been sent yet.
  private boolean loopSends;

  /// The number of the application's bytes on their way to the loop's output.
  private int posted;

  /// True if input waits until the application has replied.
  private boolean inputWaits;

  /// The application's end; null until it has been given the connection.
  @Nullable FrontLink link;

  /// True if input waits until the loop's output has been sent.
  boolean awaitsSent;

  /// True once the client has sent something.
  boolean greeted;

  /// True while the deadline for the rest of a head is running.
  boolean headTimed;

  /// True once the application knows that no more bytes come, or has closed its end.
  boolean over;

  FrontedConnection(Connection connection, FrontTracker tracker, Object session) {
    this.connection = connection;
    this.loop = connection.executor();
    this.tracker = tracker;
    this.session = session;
  }

  /// Returns the site's state of the connection. The loop's thread.
  public Object session() {
    return session;
  }

  /// Duplicates the descriptor of the socket for the application, which closes it. The loop's
  /// thread.
  ///
  /// @return a descriptor or a negative errno
  public int duplicate() {
    return connection.duplicate();
  }

  // ---- for the application ------------------------------------------------------------------

  /// Sends bytes of the application, without waiting.
  ///
  /// @param fd the application's descriptor of the connection
  /// @return the number of bytes sent, or a negative errno
  public int send(int fd, MemorySegment segment, long offset, int length) {
    synchronized (this) {
      tracker.beforeReply();
      if (tracker.awaitsHead()) {
        View view = bind(segment, offset, length);
        try {
          tracker.beforeHead(view, 0, length);
        } finally {
          unbind();
        }
      }
      if (loopSends) {
        return post(segment, offset, length);
      }
      int n = Sockets.send(fd, segment, offset, length, SEND_FLAGS);
      if (n > 0) {
        follow(segment, offset, n);
      }
      return n;
    }
  }

  /// Follows bytes that were sent. The caller holds the lock.
  private void follow(MemorySegment segment, long offset, int count) {
    if (tracker.reason() != null) {
      return;
    }
    int owed = tracker.owed();
    View view = bind(segment, offset, count);
    try {
      tracker.replied(view, 0, count);
    } finally {
      unbind();
    }
    if (inputWaits && (tracker.owed() < owed || tracker.reason() != null)) {
      inputWaits = false;
      loop.execute(resume);
    }
  }

  /// Binds a view of bytes for the calling thread, until [#unbind]. The caller holds the lock.
  private View bind(MemorySegment segment, long offset, int count) {
    ViewBinder binder = follower;
    if (binder == null || followerOwner != Thread.currentThread()) {
      followerOwner = Thread.currentThread();
      binder = new ViewBinder(Thread.currentThread());
      follower = binder;
    }
    return binder.bind(segment, offset, count);
  }

  private void unbind() {
    ViewBinder binder = follower;
    if (binder != null) {
      binder.unbind();
    }
  }

  /// Appends bytes to the loop's output. The caller holds the lock.
  private int post(MemorySegment segment, long offset, int length) {
    int count = Math.min(length, POSTED_BYTES - posted);
    if (count <= 0) {
      return -Errno.EAGAIN;
    }
    byte[] bytes = new byte[count];
    MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, bytes, 0, count);
    posted += count;
    follow(segment, offset, count);
    loop.execute(() -> stage(bytes));
    return count;
  }

  private void stage(byte[] bytes) {
    if (connection.isOpen()) {
      connection.output().put(bytes);
    }
    synchronized (this) {
      posted -= bytes.length;
    }
  }

  /// Returns true if the caller may shut down the output without cutting off bytes of the loop.
  /// Otherwise the loop shuts it down, or closes the connection, when all has been sent. From now
  /// on the loop answers no more requests, since it could not send the replies.
  public boolean shutsDownOutput() {
    synchronized (this) {
      tracker.giveUp(OpaqueReason.SERVER_CLOSES);
      if (!loopSends) {
        return true;
      }
    }
    loop.execute(this::shutHere);
    return false;
  }

  private void shutHere() {
    if (connection.isOpen() && allSent()) {
      connection.shutdownOutput();
    } else {
      over = true;
      connection.close();
    }
  }

  /// Resumes input after the application has made room.
  public void resume() {
    loop.execute(resume);
  }

  private void resumeHere() {
    if (connection.isOpen()) {
      connection.resumeInput();
    }
  }

  /// Handles that the application has closed the connection and its descriptor.
  ///
  /// @param endsFirst true if the output ends before unread bytes reset the connection
  public void closed(boolean endsFirst) {
    loop.execute(endsFirst ? this::endOutputFirst : this::endHere);
  }

  /// Handles that the application never accepted the connection and has closed its descriptor.
  public void dropped() {
    loop.execute(() -> end(true, false));
  }

  private void endOutputFirst() {
    end(false, true);
  }

  private void endHere() {
    end(false, false);
  }

  /// Ends the connection as the kernel would, but not before all bytes of the loop have been sent.
  private void end(boolean resets, boolean endsFirst) {
    over = true;
    if (!connection.isOpen()) {
      return;
    }
    FrontLink own = link;
    connection.closeAsKernel(resets || (own != null && own.holdsUnread()), endsFirst);
  }

  // ---- for the loop -------------------------------------------------------------------------

  /// Returns true if the kernel has taken all bytes that the loop has staged.
  boolean allSent() {
    return connection.sentBytes() >= connection.stagedBytes();
  }

  /// Records that the loop's output has been sent, so that the application may send directly.
  synchronized void drained() {
    loopSends = posted > 0;
  }

  /// Returns the kind of the next bytes, see [FrontTracker#look], and records if they must wait for
  /// a reply.
  synchronized FrontTracker.Next look(View view, int from, int to) {
    FrontTracker.Next next = tracker.look(view, from, to);
    inputWaits = next == FrontTracker.Next.WAIT;
    return next;
  }

  synchronized boolean isSecured() {
    return tracker.reason() == OpaqueReason.TLS;
  }

  /// Returns true if the connection's bytes are still followed as HTTP.
  synchronized boolean isHttp() {
    return tracker.reason() == null;
  }

  /// Returns true if the application owes no reply, and none of its bytes are on their way.
  synchronized boolean isBetweenRequests() {
    return posted == 0 && tracker.isBetweenRequests();
  }

  /// Returns the number of bytes of a body that [#look] has found.
  int bytes() {
    return tracker.bytes();
  }

  boolean isAnswerable() {
    return tracker.isAnswerable();
  }

  /// Returns true if the loop may answer the request found now. From then on the loop owns the
  /// output; bytes that the application writes unasked are appended to it.
  synchronized boolean mayAnswer() {
    boolean may = tracker.mayAnswer();
    loopSends |= may;
    return may;
  }

  /// Returns true if input has to wait until the application has replied. It is false if a reply
  /// has just made the connection opaque, so that the input has to be examined again.
  synchronized boolean awaitReply() {
    inputWaits = tracker.reason() == null && !tracker.mayAnswer();
    return inputWaits;
  }

  /// Records that the loop has answered the request that was parsed last.
  synchronized void answered() {
    if (tracker.mayAnswer()) { // the application may have written since
      int _ = tracker.answer();
    }
  }

  /// Records that the request that was parsed last goes to the application.
  ///
  /// @return the length of its head
  synchronized int pass() {
    return tracker.pass();
  }

  synchronized void passedBody() {
    tracker.passedBody();
  }

  /// Makes the connection opaque: all further bytes go to the application.
  synchronized void giveUp(OpaqueReason reason) {
    tracker.giveUp(reason);
  }
}
