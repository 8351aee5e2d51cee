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

/// A connection that the loop shares with an application. The loop receives everything; both send,
/// never at the same time: the application while it owes a reply, the loop while none is owed. The
/// methods named "for the application" may be called by any thread.
///
/// Usually the application's bytes go straight to the socket, on its own thread, and only the end
/// of a reply concerns the loop, if input waits for it. What it writes while the loop's output has
/// not gone joins that output.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `tracker`, `loopSends`, `posted`, `inputWaits`, `follower` | any thread | under this object's lock | the same |
/// | `link`, `awaitsSent`, `greeted`, `headTimed`, `over` | loop | plain | plain |
public final class FrontedConnection {
  /// Bytes that wait for the loop's output at most.
  private static final int POSTED_BYTES = 64 << 10;

  private static final int SEND_FLAGS = Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;

  private final Connection connection;
  private final Executor loop;
  private final FrontTracker tracker;
  private final Object session;
  private final Runnable resume = this::resumeHere;

  private @Nullable ViewBinder follower;
  private @Nullable Thread followerOwner;

  /// The loop has staged something that may not have gone yet.
  private boolean loopSends;

  /// Bytes of the application on their way to the loop's output.
  private int posted;

  /// Input waits until the application has replied.
  private boolean inputWaits;

  /// The application's end; null until it has been given the connection.
  @Nullable FrontLink link;

  /// Input waits until the loop's output has gone.
  boolean awaitsSent;

  /// The client has sent something.
  boolean greeted;

  /// The time for the rest of a head is running.
  boolean headTimed;

  /// The application knows that no more comes, or wants no more.
  boolean over;

  FrontedConnection(Connection connection, FrontTracker tracker, Object session) {
    this.connection = connection;
    this.loop = connection.executor();
    this.tracker = tracker;
    this.session = session;
  }

  /// What the site remembers of the connection. The loop's thread.
  public Object session() {
    return session;
  }

  /// Another descriptor of the socket, for the application, which closes it. The loop's thread.
  ///
  /// @return a negative errno when there is none
  public int duplicate() {
    return connection.duplicate();
  }

  // ---- for the application ------------------------------------------------------------------

  /// Sends bytes of the application, without waiting.
  ///
  /// @param fd of the connection
  /// @return bytes taken, or a negative errno
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

  /// Holder of the lock.
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

  /// A view of bytes for the calling thread, until [#unbind]. Holder of the lock.
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

  /// Gives bytes to the loop's output, behind what is there. Holder of the lock.
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

  /// Whether the output can be shut down without cutting off anything of the loop. If not, the loop
  /// shuts it down, or ends the connection when all has gone. It answers no more: it could not.
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

  /// There is room for input again.
  public void resume() {
    loop.execute(resume);
  }

  private void resumeHere() {
    if (connection.isOpen()) {
      connection.resumeInput();
    }
  }

  /// The application has closed the connection, and its descriptor.
  ///
  /// @param endsFirst the output ends before unread bytes reset the connection
  public void closed(boolean endsFirst) {
    loop.execute(endsFirst ? this::endOutputFirst : this::endHere);
  }

  /// The application has taken the connection never, and closed its descriptor.
  public void dropped() {
    loop.execute(() -> end(true, false));
  }

  private void endOutputFirst() {
    end(false, true);
  }

  private void endHere() {
    end(false, false);
  }

  /// Ends the connection as the kernel would, but not before all of the loop has been sent.
  private void end(boolean resets, boolean endsFirst) {
    over = true;
    if (!connection.isOpen()) {
      return;
    }
    FrontLink own = link;
    connection.closeAsKernel(resets || (own != null && own.holdsUnread()), endsFirst);
  }

  // ---- for the loop -------------------------------------------------------------------------

  /// Whether the kernel has taken all that the loop has staged.
  boolean allSent() {
    return connection.sentBytes() >= connection.stagedBytes();
  }

  /// What the loop has staged has gone: the application may send by itself.
  synchronized void drained() {
    loopSends = posted > 0;
  }

  /// As [FrontTracker#look]; input that must wait for a reply is remembered to wait.
  synchronized FrontTracker.Next look(View view, int from, int to) {
    FrontTracker.Next next = tracker.look(view, from, to);
    inputWaits = next == FrontTracker.Next.WAIT;
    return next;
  }

  synchronized boolean isSecured() {
    return tracker.reason() == OpaqueReason.TLS;
  }

  /// Whether the bytes are still understood.
  synchronized boolean isHttp() {
    return tracker.reason() == null;
  }

  /// Whether the application owes nothing, and has nothing on its way.
  synchronized boolean isBetweenRequests() {
    return posted == 0 && tracker.isBetweenRequests();
  }

  /// Bytes of a body that [#look] has found.
  int bytes() {
    return tracker.bytes();
  }

  boolean isAnswerable() {
    return tracker.isAnswerable();
  }

  /// Whether the request that was found may be answered by the loop now. From then on the output is
  /// the loop's; what the application writes unasked joins it.
  synchronized boolean mayAnswer() {
    boolean may = tracker.mayAnswer();
    loopSends |= may;
    return may;
  }

  /// Whether input waits until the application has replied; not where a reply has just made the
  /// connection the application's alone, so that the input has to be looked at anew.
  synchronized boolean awaitReply() {
    inputWaits = tracker.reason() == null && !tracker.mayAnswer();
    return inputWaits;
  }

  /// The loop has answered the request that was parsed last.
  synchronized void answered() {
    if (tracker.mayAnswer()) { // the application may have written since
      int _ = tracker.answer();
    }
  }

  /// The request that was parsed last is the application's.
  ///
  /// @return bytes of its head
  synchronized int pass() {
    return tracker.pass();
  }

  synchronized void passedBody() {
    tracker.passedBody();
  }

  /// All that comes is the application's from now on.
  synchronized void giveUp(OpaqueReason reason) {
    tracker.giveUp(reason);
  }
}
