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

/// Delivers the input of connections to the application ([SharedStream]) after showing it to the
/// interruptlet of their server socket, if one is admitted. There is one instance per listening
/// socket, and one for all connecting sockets. Runs on the loop's thread.
final class IStreamProtocol implements Protocol {
  /// The time of silence after which a client is assumed to be waiting for the server to send
  /// first.
  private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /// The maximum size of an unfinished message. A longer message is delivered to the application.
  private static final int LONGEST_MESSAGE = 32 << 10;

  private final ISocketLoop owner;
  private final @Nullable AcceptQueue queue;
  private final Handlers handlers;
  private final ByteCounts counts;
  private final InterruptletCall call;
  private Handlers.@Nullable Admission admission;
  private @Nullable Interruptlet interruptlet;

  /// @param queue receives the connections, or null for the protocol of connecting sockets
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

  /// Returns true because connections of an application are never closed in favor of others.
  @Override
  public boolean waitsForPlace() {
    return true;
  }

  /// Disables Nagle's algorithm so that an interruptlet's reply is sent immediately. Otherwise its
  /// last segment would wait for up to 40 ms until the client has acknowledged the previous ones.
  private static void sendAtOnce(int fd) {
    try {
      Sockets.setsockopt(fd, Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY, 1);
    } catch (SysException ended) {
      // The connection reports the error.
    }
  }

  @Override
  public void timedOut(Connection connection) {
    SharedStream stream = stream(connection);
    if (stream != null) {
      give(connection, stream);
    }
  }

  /// Passes the connection to the application unless it already has it.
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
          connection.deadline(0); // the client is not silent
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

  /// Returns this loop's instance of the interruptlet that is currently admitted.
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

  /// Passes an unfinished message to the application, which decides how to handle it.
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
      connection.close(); // the interruptlet alone has answered this client
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

  /// Does nothing, because applications close their connections themselves.
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
