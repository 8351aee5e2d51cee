package sluice.http.front;

import org.jspecify.annotations.Nullable;
import sluice.loop.Connection;
import sluice.loop.Loop;
import sluice.loop.Protocol;
import sluice.memory.View;

/// Answers requests for files on the connections of an application, and forwards all other bytes to
/// the application in order ([FrontTracker] separates them). There is one instance for each
/// listening socket and loop, which runs on the loop's thread.
///
/// A connection is passed to the application when it has sent a request that is not for a file or
/// bytes that cannot be parsed, or has sent nothing for some time. A connection that only requests
/// files causes no load on the application.
public final class FrontProtocol implements Protocol, FrontSite.Outcome {
  private static final int STAY = -1;

  private final Loop loop;
  private final FrontSite site;
  private final FrontApplication application;
  private final FrontTimes times;
  private final @Nullable KeptReplies replies;
  private boolean telling;

  /// True while [#received] runs, which sets the deadline at its end.
  private boolean receiving;

  public FrontProtocol(
      Loop loop, FrontSite site, FrontApplication application, FrontSettings settings) {
    this.loop = loop;
    this.site = site;
    this.application = application;
    this.times = settings.times();
    this.replies = settings.replies();
  }

  private static FrontedConnection fronted(Connection connection) {
    if (connection.attachment() instanceof FrontedConnection fronted) {
      return fronted;
    }
    throw new IllegalStateException("a connection without its front");
  }

  // ---- connections --------------------------------------------------------------------------

  @Override
  public void opened(Connection connection) {
    FrontTracker tracker = new FrontTracker(site.parser(), site.request(), replies);
    Object session = site.opened(connection);
    connection.attach(new FrontedConnection(connection, tracker, session));
    connection.deadline(times.silence().toNanos());
  }

  @Override
  public void overloaded(Connection connection) {
    site.overloaded(connection);
  }

  /// Returns true, so that clients wait for a free connection slot as they do on the application's
  /// own socket.
  @Override
  public boolean waitsForPlace() {
    return true;
  }

  /// Returns true only between two requests. The connection is kept open while the application owes
  /// a reply, after the bytes have become opaque, and after the application has sent the first
  /// byte.
  @Override
  public boolean mayMakeRoom(Connection connection) {
    FrontedConnection fronted = fronted(connection);
    return fronted.link == null || fronted.isBetweenRequests();
  }

  /// Closes the connection. The application observes that the client has shut down its side and
  /// closes its own descriptor.
  @Override
  public void makesRoom(Connection connection) {
    FrontedConnection fronted = fronted(connection);
    if (fronted.link != null) {
      connection.shutdownOutput();
      end(fronted);
    }
  }

  @Override
  public void sent(Connection connection) {
    site.sent(connection);
    FrontedConnection fronted = fronted(connection);
    if (fronted.awaitsSent) {
      if (fronted.allSent()) {
        fronted.awaitsSent = false;
        connection.resumeInput();
      } else {
        connection.awaitSent(connection.stagedBytes());
      }
    }
  }

  @Override
  public void timedOut(Connection connection) {
    FrontedConnection fronted = fronted(connection);
    if (fronted.headTimed) {
      fronted.headTimed = false;
      fronted.giveUp(OpaqueReason.SLOW_HEAD);
      connection.holdInput();
      connection.resumeInput(); // shows the bytes of the head once more
    } else if (fronted.link == null && !fronted.greeted) {
      FrontLink _ = link(connection, fronted);
    } else if (fronted.link == null) {
      connection.close();
    }
  }

  @Override
  public void leftOver(Connection connection, View input) {
    FrontedConnection fronted = fronted(connection);
    fronted.giveUp(OpaqueReason.REQUEST);
    boolean _ = give(connection, fronted, input, 0, input.length());
  }

  @Override
  public void ended(Connection connection, int leftover) {
    FrontedConnection fronted = fronted(connection);
    if (fronted.link == null) {
      connection.close();
    } else {
      end(fronted);
    }
  }

  @Override
  public void closed(Connection connection) {
    if (!(connection.attachment() instanceof FrontedConnection fronted)) {
      site.closed(connection, connection.attachment());
      return;
    }
    site.closed(connection, fronted.session());
    FrontLink link = fronted.link;
    if (link != null && !fronted.over) {
      fronted.over = true;
      link.reset();
      tell();
    }
  }

  /// Notifies the application that the client has shut down its side, or that the loop stops
  /// reading.
  private void end(FrontedConnection fronted) {
    FrontLink link = fronted.link;
    if (link != null && !fronted.over) {
      fronted.over = true;
      link.ended();
      tell();
    }
  }

  // ---- input --------------------------------------------------------------------------------

  @Override
  public int received(Connection connection, View input) {
    FrontedConnection fronted = fronted(connection);
    fronted.greeted = true;
    int end = input.length();
    receiving = true;
    int at;
    try {
      at = steps(connection, fronted, input, end);
    } finally {
      receiving = false;
    }
    if (!connection.isOpen()) {
      end(fronted);
      return end;
    }
    updateDeadline(connection, fronted, end - at);
    return at;
  }

  /// @return the number of bytes consumed
  private int steps(Connection connection, FrontedConnection fronted, View input, int end) {
    int at = 0;
    while (at < end && isReady(connection)) {
      int next = step(connection, fronted, input, at, end);
      if (next == STAY) {
        break;
      }
      at = next;
    }
    return at;
  }

  private static boolean isReady(Connection connection) {
    return connection.isOpen()
        && !connection.deferred()
        && !connection.inputHeld()
        && !connection.outputFull();
  }

  /// @return the next position, which may be `at`, or [#STAY]
  private int step(Connection connection, FrontedConnection fronted, View input, int at, int end) {
    return switch (fronted.look(input, at, end)) {
      case REQUEST -> request(connection, fronted, input, at);
      case BODY -> {
        int next = at + fronted.bytes();
        fronted.passedBody();
        yield give(connection, fronted, input, at, next) ? next : STAY;
      }
      case MORE -> STAY;
      case WAIT -> {
        connection.holdInput();
        yield STAY;
      }
      case OPAQUE -> {
        if (fronted.link == null && fronted.isSecured()) {
          application.secured();
        }
        yield drained(connection, fronted) && give(connection, fronted, input, at, end)
            ? end
            : STAY;
      }
    };
  }

  private int request(Connection connection, FrontedConnection fronted, View input, int at) {
    boolean answerable = fronted.isAnswerable();
    FrontSite.Known known = answerable ? site.known() : FrontSite.Known.ABSENT;
    KeptReply kept =
        answerable && known == FrontSite.Known.ABSENT && replies != null
            ? replies.lookup(site.request())
            : null;
    if (known != FrontSite.Known.ABSENT || kept != null) {
      if (known == FrontSite.Known.UNKNOWN && !drained(connection, fronted)) {
        return STAY;
      }
      if (!fronted.mayAnswer()) {
        if (!fronted.awaitReply()) {
          return at;
        }
        connection.holdInput();
        return STAY;
      }
      int length = site.request().headLength();
      if (kept != null && replies != null) {
        send(kept, replies, connection);
        fronted.answered();
      } else if (site.answer(connection, this)) {
        fronted.answered();
      }
      return at + length;
    }
    if (!drained(connection, fronted)) {
      return STAY;
    }
    int next = at + fronted.pass();
    return give(connection, fronted, input, at, next) ? next : STAY;
  }

  private void send(KeptReply kept, KeptReplies from, Connection connection) {
    int body = kept.send(site.request(), connection.output(), from.now());
    boolean same = body == KeptReply.NOT_MODIFIED;
    site.kept(connection, same ? 304 : 200, same ? 0 : body);
  }

  @Override
  public void given(Connection connection) {
    FrontedConnection fronted = fronted(connection);
    fronted.answered();
    if (!connection.isOpen()) {
      end(fronted);
    } else if (!receiving) {
      rests(connection, fronted);
    }
  }

  @Override
  public void declined(Connection connection, View head) {
    FrontedConnection fronted = fronted(connection);
    KeptReply kept = replies == null ? null : replies.lookup(site.request());
    if (kept != null && replies != null && fronted.mayAnswer()) {
      send(kept, replies, connection);
      given(connection);
      return;
    }
    int from = site.request().from();
    fronted.drained(); // it was before the path was looked up
    boolean _ = give(connection, fronted, head, from, from + fronted.pass());
    if (!receiving) {
      rests(connection, fronted);
    }
  }

  /// Returns true if all output of the loop has been sent. Otherwise input must wait, so that the
  /// application never writes into the middle of a reply of the loop.
  private static boolean drained(Connection connection, FrontedConnection fronted) {
    if (fronted.allSent()) {
      fronted.drained();
      return true;
    }
    fronted.awaitsSent = true;
    connection.holdInput();
    connection.awaitSent(connection.stagedBytes());
    return false;
  }

  /// Forwards bytes to the application.
  ///
  /// @return false if the application accepts none because the connection has been closed
  private boolean give(
      Connection connection, FrontedConnection fronted, View view, int from, int to) {
    FrontLink link = link(connection, fronted);
    if (link == null) {
      return false;
    }
    if (!link.received(view, from, to)) {
      connection.holdInput();
    }
    tell();
    return true;
  }

  /// Returns the application's end of the connection, after passing the connection to the
  /// application if necessary.
  private @Nullable FrontLink link(Connection connection, FrontedConnection fronted) {
    FrontLink link = fronted.link;
    if (link == null) {
      link = application.connected(fronted);
      fronted.link = link;
      tell();
      if (link == null) {
        connection.abort();
      }
    }
    return link;
  }

  /// Schedules a single notification of waiting threads after all input of this turn has been
  /// handled.
  private void tell() {
    if (!telling) {
      telling = true;
      loop.execute(this::notifyReady);
    }
  }

  private void notifyReady() {
    telling = false;
    application.told();
  }

  private void updateDeadline(Connection connection, FrontedConnection fronted, int left) {
    if (!isReady(connection)) {
      connection.deadline(0);
    } else if (left > 0) {
      if (!fronted.headTimed) {
        fronted.headTimed = true;
        connection.deadline(times.head().toNanos());
      }
    } else {
      fronted.headTimed = false;
      rests(connection, fronted);
    }
  }

  /// Waits for the next request.
  private void rests(Connection connection, FrontedConnection fronted) {
    // After the connection has been passed to the application, the application determines the
    // timeout.
    connection.deadline(fronted.link == null ? times.idle().toNanos() : 0);
    if (fronted.link == null || fronted.isHttp()) {
      connection.idle(); // [#mayMakeRoom] decides when it may be closed
    }
  }
}
