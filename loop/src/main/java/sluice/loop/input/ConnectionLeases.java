package sluice.loop.input;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import sluice.loop.engine.LeaseLimits;

/// The quota on the input retained by one connection's handlers. It is charged by the loop's thread
/// and refunded by the thread that releases the input, and it outlives the connection.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | chunks, copiedBytes | loop charges, any thread refunds | volatile | getAndAdd |
public final class ConnectionLeases {
  private final LeaseLimits limits;
  private final AtomicInteger chunks = new AtomicInteger();
  private final AtomicLong copiedBytes = new AtomicLong();

  public ConnectionLeases(LeaseLimits limits) {
    this.limits = limits;
  }

  /// Charges a chunk if the limit permits. Because only the loop's thread charges, free quota that
  /// it observes remains free.
  public boolean tryChargeChunk() {
    if (chunks.get() >= limits.chunksPerConnection()) {
      return false;
    }
    chunks.incrementAndGet();
    return true;
  }

  void refundChunk() {
    chunks.decrementAndGet();
  }

  public boolean tryChargeCopy(long bytes) {
    if (copiedBytes.get() > limits.copiedBytesPerConnection() - bytes) {
      return false;
    }
    copiedBytes.addAndGet(bytes);
    return true;
  }

  public void refundCopy(long bytes) {
    copiedBytes.addAndGet(-bytes);
  }
}
