package sluice.loop.readiness;

import static sluice.sys.Errno.EAGAIN;
import static sluice.sys.Errno.ETIMEDOUT;

import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/// An endpoint of an in-process connection, which behaves like a socket. Any thread may call. An
/// endpoint that belongs to an engine never waits, but an endpoint of a client may.
///
/// Closing with unread bytes resets the connection, as TCP does (RFC 1122, 4.2.2.13).
public final class InProcessEnd extends InProcessPollable {
  private static final int SHUT_RD = 0;
  private static final int SHUT_WR = 1;

  private final Object lock;
  private final InProcessPipe in;
  private final InProcessPipe out;
  private final SocketAddress name;
  private InProcessEnd peer;
  private boolean closed;

  private InProcessEnd(Object lock, InProcessPipe in, InProcessPipe out, SocketAddress name) {
    this.lock = lock;
    this.in = in;
    this.out = out;
    this.name = name;
    this.peer = this;
  }

  /// Creates a connection.
  ///
  /// @return the connecting endpoint
  static InProcessEnd connect(SocketAddress from, SocketAddress to) {
    Object lock = new Object();
    InProcessPipe there = new InProcessPipe();
    InProcessPipe back = new InProcessPipe();
    InProcessEnd client = new InProcessEnd(lock, back, there, from);
    InProcessEnd server = new InProcessEnd(lock, there, back, to);
    client.peer = server;
    server.peer = client;
    return client;
  }

  InProcessEnd peer() {
    return peer;
  }

  /// Returns this endpoint's own address, which is a name on the network.
  public SocketAddress name() {
    return name;
  }

  // ---- without waiting ----------------------------------------------------------------------

  /// Receives bytes without waiting.
  ///
  /// @return the number of bytes received, or 0 at the end of the stream, or -EAGAIN or -ECONNRESET
  public int receive(MemorySegment into, long at, int count) {
    int result;
    synchronized (lock) {
      result = in.read(into, at, count);
      if (result > 0) {
        lock.notifyAll();
      }
    }
    if (result > 0) {
      peer.changed();
    }
    return result;
  }

  /// Sends bytes without waiting.
  ///
  /// @return the number of bytes accepted, or -EAGAIN, -EPIPE or -ECONNRESET
  public int send(MemorySegment from, long at, int count) {
    int result;
    synchronized (lock) {
      result = out.write(from, at, count);
      if (result > 0) {
        lock.notifyAll();
      }
    }
    if (result > 0) {
      peer.changed();
    }
    return result;
  }

  /// Returns the number of bytes that can be received now.
  public int available() {
    synchronized (lock) {
      return in.size();
    }
  }

  /// Returns the number of sent bytes that the peer has read.
  long peerTaken() {
    synchronized (lock) {
      return out.taken();
    }
  }

  /// Shuts down one direction or both.
  ///
  /// @param how `SHUT_RD` 0, `SHUT_WR` 1, `SHUT_RDWR` 2
  public void shutdown(int how) {
    synchronized (lock) {
      if (how != SHUT_WR) {
        in.deafen();
      }
      if (how != SHUT_RD) {
        out.end();
      }
      lock.notifyAll();
    }
    tell();
  }

  /// Closes this endpoint. Idempotent.
  public void close() {
    end(false);
  }

  /// Closes this endpoint and reports an error to the peer. Idempotent.
  public void reset() {
    end(true);
  }

  private void end(boolean abruptly) {
    synchronized (lock) {
      if (closed) {
        return;
      }
      closed = true;
      if (abruptly || in.size() > 0) {
        out.reset();
        in.reset();
      } else {
        out.end();
        in.deafen();
      }
      lock.notifyAll();
    }
    tell();
  }

  private void tell() {
    changed();
    peer.changed();
  }

  @Override
  int events() {
    synchronized (lock) {
      int events = 0;
      if (in.readable()) {
        events |= Demultiplexer.IN;
      }
      if (out.writable()) {
        events |= Demultiplexer.OUT;
      }
      if (in.state() == InProcessPipe.State.RESET) {
        events |= Demultiplexer.ERR | Demultiplexer.HUP;
      } else if (in.state() != InProcessPipe.State.OPEN
          && out.state() != InProcessPipe.State.OPEN) {
        events |= Demultiplexer.HUP;
      }
      return events;
    }
  }

  // ---- for clients, which may wait ----------------------------------------------------------

  /// Receives bytes as [#receive] does, but waits until some are available.
  ///
  /// @return the number of bytes, or -ETIMEDOUT if none arrived before the timeout expired
  public int awaitBytes(MemorySegment into, long at, int count, long timeoutNanos)
      throws InterruptedException {
    long end = System.nanoTime() + timeoutNanos;
    synchronized (lock) {
      while (!in.readable()) {
        if (!await(end)) {
          return -ETIMEDOUT;
        }
      }
    }
    return receive(into, at, count);
  }

  /// Sends bytes as [#send] does, but waits until all of them have been accepted.
  ///
  /// @return `count`, or a negative errno, which is -ETIMEDOUT if the timeout expired
  public int sendAll(MemorySegment from, long at, int count, long timeoutNanos)
      throws InterruptedException {
    long end = System.nanoTime() + timeoutNanos;
    int sent = 0;
    while (sent < count) {
      int result = send(from, at + sent, count - sent);
      if (result == -EAGAIN) {
        synchronized (lock) {
          while (!out.writable()) {
            if (!await(end)) {
              return -ETIMEDOUT;
            }
          }
        }
      } else if (result < 0) {
        return result;
      } else {
        sent += result;
      }
    }
    return sent;
  }

  /// Waits for a change.
  ///
  /// @return false if the timeout has expired
  private boolean await(long end) throws InterruptedException {
    long left = end - System.nanoTime();
    if (left <= 0) {
      return false;
    }
    TimeUnit.NANOSECONDS.timedWait(lock, Math.max(left, 1_000_000));
    return true;
  }
}
