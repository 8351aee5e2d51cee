package sluice.isocket;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.loop.Connection;
import sluice.loop.Framing;
import sluice.loop.Interruptlet;
import sluice.loop.InterruptletCall;
import sluice.loop.Loop;
import sluice.loop.Protocol;
import sluice.memory.View;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// Gives what comes to the application of a connection ([SharedStream]), and first to the
/// interruptlet of its server socket, if one is admitted. One for each listening socket and one for
/// all connecting ones; runs on the loop's thread.
final class IStreamProtocol implements Protocol {
  /// A client that sends nothing for so long waits for the server to speak first.
  private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /// An unfinished message that is longer goes to the application.
  private static final int LONGEST_MESSAGE = 32 << 10;

  private final ISocketLoop owner;
  private final @Nullable AcceptQueue queue;
  private final Handlers handlers;
  private final ByteCounts counts;
  private final InterruptletCall call;
  private Handlers.@Nullable Admission admission;
  private @Nullable Interruptlet interruptlet;

  /// @param queue gets the connections; null for a protocol of connecting sockets
  IStreamProtocol(ISocketLoop owner, Loop loop, @Nullable AcceptQueue queue, Handlers handlers) {
    this.owner = owner;
    this.queue = queue;
    this.handlers = handlers;
    this.counts = handlers.counts();
    this.call = new InterruptletCall(loop);
  }

  private static @Nullable SharedStream stream(Connection connection) {
    return connection.attachment() instanceof SharedStream stream ? stream : null;
  }

  @Override
  public void opened(Connection connection) {
    int fd = connection.duplicate();
    if (fd < 0) {
      connection.abort();
      return;
    }
    SharedStream stream = new SharedStream(connection, fd, owner, counts);
    connection.attach(stream);
    connection.inputNeedsNoRoom(handlers.admission() == null);
    if (queue == null) {
      stream.taken = true;
    } else if (handlers.admission() == null) {
      give(connection, stream);
    } else {
      sendAtOnce(fd);
      connection.deadline(SILENCE_NANOS);
    }
  }

  /// Connections of an application are never ended for others.
  @Override
  public boolean waitsForPlace() {
    return true;
  }

  /// An interruptlet's reply leaves when it is made: Nagle's algorithm would keep its last piece
  /// back until the client has acknowledged those before, which it may do 40 ms later.
  private static void sendAtOnce(int fd) {
    try {
      Sockets.setsockopt(fd, Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY, 1);
    } catch (SysException ended) {
      // the connection tells
    }
  }

  @Override
  public void timedOut(Connection connection) {
    SharedStream stream = stream(connection);
    if (stream != null) {
      give(connection, stream);
    }
  }

  /// The application gets the connection, if it has not got it before.
  private void give(Connection connection, SharedStream stream) {
    AcceptQueue to = queue;
    if (stream.taken || to == null) {
      return;
    }
    stream.taken = true;
    connection.deadline(0);
    if (!to.add(stream)) {
      stream.close();
    }
  }

  @Override
  public int received(Connection connection, View input) {
    SharedStream stream = stream(connection);
    int end = input.length();
    if (stream == null) {
      return end;
    }
    int used = 0;
    while (used < end && connection.isOpen()) {
      Interruptlet asked = asked();
      connection.inputNeedsNoRoom(asked == null);
      Handlers.Admission now = admission;
      if (asked == null || now == null) {
        pass(connection, stream, input, used, end - used);
        return end;
      }
      int length = now.framing().messageBytes(input, used);
      if (length == Framing.MORE && end - used <= LONGEST_MESSAGE) {
        return used;
      }
      if (length < 0 || length > end - used) {
        throw new IllegalStateException(
            "the framing found " + length + " bytes in " + (end - used));
      }
      if (length == Framing.MORE) {
        pass(connection, stream, input, used, end - used);
        return end;
      }
      if (connection.outputFull()) {
        return used;
      }
      if (!stream.mayAnswer()) {
        connection.holdInput();
        return used;
      }
      if (call.answer(now.guard(), asked, connection, used, length)) {
        if (!stream.taken) {
          connection.deadline(0); // it is not silent
        }
        owner.counters().answered.incrementAndGet();
        counts.received.addAndGet(length);
        counts.sent.addAndGet(call.sentBytes());
      } else {
        owner.counters().passed.incrementAndGet();
        pass(connection, stream, input, used, length);
        if (connection.inputHeld()) {
          return used + length;
        }
      }
      used += length;
    }
    return connection.isOpen() ? used : end;
  }

  /// The interruptlet that is admitted now, of this loop.
  private @Nullable Interruptlet asked() {
    Handlers.Admission now = handlers.admission();
    if (now != admission) {
      admission = now;
      interruptlet = now == null ? null : now.guard().make(now.perLoop());
      if (now != null) {
        owner.watchdog().handlers().show(now.guard());
      }
    }
    return now == null || now.guard().disabled() ? null : interruptlet;
  }

  private void pass(Connection connection, SharedStream stream, View input, int from, int length) {
    boolean more = stream.received(input, from, length);
    give(connection, stream);
    counts.received.addAndGet(length);
    if (!more) {
      connection.holdInput();
    }
  }

  /// What there is of an unfinished message is the application's to judge.
  @Override
  public void leftOver(Connection connection, View input) {
    SharedStream stream = stream(connection);
    if (stream != null) {
      boolean _ = stream.received(input, 0, input.length());
      give(connection, stream);
    }
  }

  @Override
  public void ended(Connection connection, int leftover) {
    SharedStream stream = stream(connection);
    if (stream != null && (stream.taken || handlers.admission() == null)) {
      stream.ended();
      give(connection, stream);
    } else {
      connection.close(); // a client that was answered by the interruptlet alone
      if (stream != null) {
        stream.close();
      }
    }
  }

  @Override
  public void sent(Connection connection) {
    SharedStream stream = stream(connection);
    if (stream != null) {
      stream.sent();
    }
  }

  /// Applications end their connections themselves.
  @Override
  public void draining(Connection connection) {}

  @Override
  public void closed(Connection connection) {
    SharedStream stream = stream(connection);
    if (stream != null) {
      stream.gone();
      if (!stream.taken) {
        stream.close();
      }
    }
  }
}
