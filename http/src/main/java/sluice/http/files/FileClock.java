package sluice.http.files;

import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/// The clock with which file times are compared, which also provides a way to wait. Any thread may
/// call it.
public interface FileClock {
  FileClock SYSTEM =
      new FileClock() {
        @Override
        public long nowNanos() {
          Instant now = Instant.now();
          return now.getEpochSecond() * 1_000_000_000L + now.getNano();
        }

        @Override
        public void pause(long nanos) {
          LockSupport.parkNanos(nanos);
        }
      };

  /// Returns the time in nanoseconds since the epoch.
  long nowNanos();

  /// Waits for approximately the given number of nanoseconds.
  void pause(long nanos);
}
