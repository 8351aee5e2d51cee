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

/// A connection that the loop shares with an application. All bytes are received by the loop. Both
/// may send, but never at the same time. The application sends while it owes a reply, and the loop
/// sends while no reply is owed. Any thread may call the methods in the section "for the
/// application".
///
/// The application usually writes directly to the socket on its own thread. The loop is only
/// involved at the end of a reply if input is waiting for it. If the application writes bytes
/// before all output of the loop has been sent, they are appended to that output.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `tracker`, `loopSends`, `posted`, `inputWaits`, `follower` | any thread | under this object's
/// lock | the same |
/// | `link`, `awaitsSent`, `greeted`, `headTimed`, `over` | loop | plain | plain |
public final class FrontedConnection {
  /// The maximum number of bytes of the application that wait for the loop's output.
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

  /// The number of bytes of the application that are being added to the loop's output.
  private int posted;

  /// True if input must wait until the application has replied.
  private boolean inputWaits;

  /// The application's end, or null until the connection has been passed to the application.
  @Nullable FrontLink link;

  /// True if input must wait until the loop's output has been sent.
  boolean awaitsSent;

  /// True if the client has sent any bytes.
  boolean greeted;

  /// True while the deadline for the rest of a head is running.
  boolean headTimed;

  /// True if the application has been notified that no more bytes will arrive, or has closed its
  /// end.
  boolean over;

  FrontedConnection(Connection connection, FrontTracker tracker, Object session) {
    this.connection = connection;
    this.loop = connection.executor();
    this.tracker = tracker;
    this.session = session;
  }

  /// Returns the state that the site associates with this connection. Called on the loop's thread.
  public Object session() {
    return session;
  }

  /// Duplicates the descriptor of the socket for the application, which must close it. Called on
  /// the loop's thread.
  ///
  /// @return a descriptor or a negative errno
  public int duplicate() {
    return connection.duplicate();
  }

  // ---- for the application ------------------------------------------------------------------

  /// Sends bytes of the application without blocking.
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

  /// Tracks bytes that were sent. The caller holds the lock.
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

  /// Binds a view to bytes for the calling thread until [#unbind] is called. The caller holds the
  /// lock.
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

  /// Returns true if the caller may shut down the output without losing bytes of the loop.
  /// Otherwise the loop shuts down the output or closes the connection after everything has been
  /// sent. From now on the loop answers no more requests, because it could not send the replies.
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

  /// Resumes input after the application has read bytes.
  public void resume() {
    loop.execute(resume);
  }

  private void resumeHere() {
    if (connection.isOpen()) {
      connection.resumeInput();
    }
  }

  /// Called when the application has closed the connection and its descriptor.
  ///
  /// @param endsFirst true if the output is shut down before unread bytes reset the connection
  public void closed(boolean endsFirst) {
    loop.execute(endsFirst ? this::endOutputFirst : this::endHere);
  }

  /// Called when the application has closed its descriptor without ever accepting the connection.
  public void dropped() {
    loop.execute(() -> end(true, false));
  }

  private void endOutputFirst() {
    end(false, true);
  }

  private void endHere() {
    end(false, false);
  }

  /// Closes the connection in the same way as the kernel, after all bytes of the loop have been
  /// sent.
  private void end(boolean resets, boolean endsFirst) {
    over = true;
    if (!connection.isOpen()) {
      return;
    }
    FrontLink own = link;
    connection.closeAsKernel(resets || (own != null && own.holdsUnread()), endsFirst);
  }

  // ---- for the loop -------------------------------------------------------------------------

  /// Returns true if the kernel has accepted all bytes that the loop has staged.
  boolean allSent() {
    return connection.sentBytes() >= connection.stagedBytes();
  }

  /// Records that the loop's output has been sent, so that the application may send directly.
  synchronized void drained() {
    loopSends = posted > 0;
  }

  /// Returns the kind of the next bytes, as [FrontTracker#look] does, and records if they must wait
  /// for a reply.
  synchronized FrontTracker.Next look(View view, int from, int to) {
    FrontTracker.Next next = tracker.look(view, from, to);
    inputWaits = next == FrontTracker.Next.WAIT;
    return next;
  }

  synchronized boolean isSecured() {
    return tracker.reason() == OpaqueReason.TLS;
  }

  /// Returns true if the bytes of this connection are still tracked as HTTP.
  synchronized boolean isHttp() {
    return tracker.reason() == null;
  }

  /// Returns true if the application owes no reply, and none of its bytes are waiting to be sent.
  synchronized boolean isBetweenRequests() {
    return posted == 0 && tracker.isBetweenRequests();
  }

  /// Returns the number of bytes of a body that were found by [#look].
  int bytes() {
    return tracker.bytes();
  }

  boolean isAnswerable() {
    return tracker.isAnswerable();
  }

  /// Returns true if the loop may answer the current request. From then on the loop owns the
  /// output, and bytes that the application writes without being asked are appended to it.
  synchronized boolean mayAnswer() {
    boolean may = tracker.mayAnswer();
    loopSends |= may;
    return may;
  }

  /// Returns true if input must wait until the application has replied. The result is false if a
  /// reply has just made the connection opaque, in which case the input must be examined again.
  synchronized boolean awaitReply() {
    inputWaits = tracker.reason() == null && !tracker.mayAnswer();
    return inputWaits;
  }

  /// Records that the loop has answered the most recently parsed request.
  synchronized void answered() {
    if (tracker.mayAnswer()) { // the application may have written since
      int _ = tracker.answer();
    }
  }

  /// Records that the most recently parsed request is forwarded to the application.
  ///
  /// @return the length of its head
  synchronized int pass() {
    return tracker.pass();
  }

  synchronized void passedBody() {
    tracker.passedBody();
  }

  /// Makes the connection opaque, so that all further bytes are forwarded to the application.
  synchronized void giveUp(OpaqueReason reason) {
    tracker.giveUp(reason);
  }
}
