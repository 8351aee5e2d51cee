package sluice.testkit.sim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A direction of a connection: a ring buffer with positions for written, arrived and read bytes.
/// Owned by the thread that runs the simulation.
///
/// The capacity stands for send buffer, network and receive buffer together.
final class SimPipe {
  private final byte[] ring;
  private long written;
  private long arrived;
  private long read;
  private boolean finished;
  private boolean finArrived;

  /// The latest arrival time so far. Events of one direction share it, so that none overtakes
  /// another.
  private long lastArrivalNanos;

  SimPipe(int capacityBytes) {
    this.ring = new byte[capacityBytes];
  }

  int room() {
    return ring.length - (int) (written - read);
  }

  int available() {
    return (int) (arrived - read);
  }

  long taken() {
    return read;
  }

  long written() {
    return written;
  }

  void finish() {
    finished = true;
  }

  boolean finished() {
    return finished;
  }

  /// Returns true if everything has been read and no more will come.
  boolean ended() {
    return finArrived && read == written;
  }

  boolean finArrived() {
    return finArrived;
  }

  /// Records the arrival of the bytes up to `target`, and optionally of the FIN behind them.
  ///
  /// @return false if all of it had arrived before
  boolean arrive(long target, boolean fin) {
    if (target <= arrived && (finArrived || !fin)) {
      return false;
    }
    arrived = Math.max(arrived, target);
    finArrived |= fin;
    return true;
  }

  /// Drops the bytes that have not been read.
  void discard() {
    arrived = written;
    read = written;
  }

  long arrivalNanos(long earliest) {
    lastArrivalNanos = Math.max(lastArrivalNanos, earliest);
    return lastArrivalNanos;
  }

  void write(byte[] source, int offset, int length) {
    int at = (int) (written % ring.length);
    int first = Math.min(length, ring.length - at);
    System.arraycopy(source, offset, ring, at, first);
    System.arraycopy(source, offset + first, ring, 0, length - first);
    written += length;
  }

  void read(byte[] target, int offset, int length) {
    int at = (int) (read % ring.length);
    int first = Math.min(length, ring.length - at);
    System.arraycopy(ring, at, target, offset, first);
    System.arraycopy(ring, 0, target, offset + first, length - first);
    read += length;
  }

  void read(MemorySegment target, long offset, int length) {
    int at = (int) (read % ring.length);
    int first = Math.min(length, ring.length - at);
    MemorySegment.copy(ring, at, target, ValueLayout.JAVA_BYTE, offset, first);
    MemorySegment.copy(ring, 0, target, ValueLayout.JAVA_BYTE, offset + first, length - first);
    read += length;
  }
}
