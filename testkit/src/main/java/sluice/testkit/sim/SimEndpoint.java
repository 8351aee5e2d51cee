package sluice.testkit.sim;

import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;

/// An end of a simulated TCP connection: a [SimSocket] of an engine or a [SimClient]. Owned by the
/// thread that runs the simulation.
///
/// It models Linux: a reset is reported to the reader once, as -ECONNRESET (-EPIPE after a FIN),
/// later to sends as -EPIPE, and to receives as the end of the stream. Closing with unread bytes
/// resets the connection, and bytes that reach a closed end are answered with a reset.
abstract class SimEndpoint {
  protected final SimNetwork network;
  private @Nullable SimPipe in;
  private @Nullable SimPipe out;
  private @Nullable SimEndpoint peer;
  private int latencyNanos;
  private int pendingErrno;
  private boolean broken;
  private boolean receiveShut;
  private boolean closed;
  private boolean lost;

  SimEndpoint(SimNetwork network) {
    this.network = network;
  }

  /// Handles the arrival of bytes, an end of stream or an error.
  abstract void onReadable();

  /// Handles new room to send, or an error that makes sending pointless.
  abstract void onWritable();

  /// Handles the result of connecting from this end: 0, or a negative errno.
  abstract void onConnected(int result);

  /// Returns an identifier for the trace.
  abstract int id();

  final void join(SimEndpoint other, SimPipe incoming, SimPipe outgoing, int latencyNanos) {
    this.peer = other;
    this.in = incoming;
    this.out = outgoing;
    this.latencyNanos = latencyNanos;
  }

  final boolean connected() {
    return peer != null;
  }

  final boolean closed() {
    return closed;
  }

  final boolean broken() {
    return broken;
  }

  /// Returns true if the kernel or the network, and neither end, has broken the connection.
  final boolean lost() {
    return lost;
  }

  final int available() {
    return in == null ? 0 : in.available();
  }

  /// Returns true if a receive would report something: bytes, the end, or an error.
  final boolean readable() {
    return broken || receiveShut || (in != null && (in.available() > 0 || in.ended()));
  }

  /// Returns the result of a receive without bytes: 0 at the end, -EAGAIN if more may come, or the
  /// error of a reset, once.
  final int endOfInput() {
    if (pendingErrno != 0) {
      return takeError();
    }
    if (broken || receiveShut || (in != null && in.ended())) {
      return 0;
    }
    return connected() ? -Errno.EAGAIN : -Errno.ENOTCONN;
  }

  /// Returns the room for sending, or a negative errno.
  final int roomOrErrno() {
    if (pendingErrno != 0) {
      return takeError();
    }
    if (out == null) {
      return -Errno.ENOTCONN;
    }
    return broken || out.finished() ? -Errno.EPIPE : out.room();
  }

  private int takeError() {
    int errno = pendingErrno;
    pendingErrno = 0;
    return -errno;
  }

  /// Returns the number of bytes that the other end has read.
  final long takenByPeer() {
    return out == null ? 0 : out.taken();
  }

  /// Returns true if sending can make progress: there is room, or an error to report.
  final boolean writable() {
    return pendingErrno != 0 || broken || (out != null && (out.finished() || out.room() > 0));
  }

  final SimPipe input() {
    if (in == null) {
      throw new IllegalStateException("endpoint " + id() + " is not connected");
    }
    return in;
  }

  /// Sends bytes for which there is room; they arrive later.
  final void transmit(byte[] bytes, int offset, int length) {
    SimPipe pipe = output();
    pipe.write(bytes, offset, length);
    depart(pipe.written(), false);
  }

  private SimPipe output() {
    if (out == null) {
      throw new IllegalStateException("endpoint " + id() + " is not connected");
    }
    return out;
  }

  /// Notifies the other end of new room, after reading.
  final void consumed() {
    SimEndpoint other = peer;
    if (other != null) {
      network.scheduler().after(network.jitter(latencyNanos), other::roomArrived);
    }
  }

  private void roomArrived() {
    if (!closed) {
      onWritable();
    }
  }

  /// Shuts sending down, as shutdown(SHUT_WR): a FIN follows the bytes.
  final void sendFin() {
    if (out != null && !broken && !out.finished()) {
      out.finish();
      depart(out.written(), true);
      onWritable();
    }
  }

  /// Shuts receiving down, as shutdown(SHUT_RD).
  final void shutReceive() {
    receiveShut = true;
    onReadable();
  }

  private void depart(long target, boolean fin) {
    SimPipe pipe = output();
    SimEndpoint other = peer;
    if (other == null) {
      return;
    }
    long at = pipe.arrivalNanos(network.nanos() + network.jitter(latencyNanos));
    network.scheduler().at(at, () -> other.arrived(target, fin));
  }

  private void arrived(long target, boolean fin) {
    if (broken) {
      return;
    }
    if (!input().arrive(target, fin)) {
      return;
    }
    if (closed) {
      if (available() > 0) {
        abort(); // this will never be read: the sender must be told
      }
      return;
    }
    network.trace(fin ? "fin arrived" : "arrived", id(), target, input().available());
    onReadable();
  }

  /// Closes this end, as close(2): a FIN follows the bytes, or a reset if bytes were left unread.
  final void closeEnd() {
    if (closed) {
      return;
    }
    closed = true;
    if (in != null && in.available() > 0) {
      abort();
    } else if (out != null && !broken && !out.finished()) {
      out.finish();
      depart(out.written(), true);
    }
  }

  /// Sends a reset and breaks this end.
  final void abort() {
    SimEndpoint other = peer;
    if (broken || other == null || out == null) {
      return;
    }
    broken = true;
    long at = out.arrivalNanos(network.nanos() + network.jitter(latencyNanos));
    network.trace("reset sent", id(), 0, 0);
    network.scheduler().at(at, other::resetArrived);
  }

  /// Breaks the connection for both ends, as a middlebox or a dying host does.
  final void breakConnection() {
    network.trace("connection breaks", id(), 0, 0);
    noteLoss();
    if (peer != null) {
      peer.resetArrived();
    }
    resetArrived();
  }

  /// Aborts like [#abort], by a fault of the kernel that no end has asked for.
  final void lose() {
    noteLoss();
    abort();
  }

  private void noteLoss() {
    SimEndpoint other = peer;
    if (!broken && other != null && !other.broken) {
      lost = true;
      other.lost = true;
    }
  }

  private void resetArrived() {
    if (broken) {
      return;
    }
    broken = true;
    SimPipe pipe = in;
    if (pipe != null) {
      pendingErrno = pipe.finArrived() ? Errno.EPIPE : Errno.ECONNRESET;
      if (network.random().chance(500)) {
        pipe.discard(); // Linux keeps queued bytes; bytes on their way are lost in any case
      }
    }
    if (out != null) {
      out.discard();
    }
    network.trace("reset arrived", id(), pendingErrno, available());
    if (!closed) {
      onReadable();
      onWritable();
    }
  }
}
