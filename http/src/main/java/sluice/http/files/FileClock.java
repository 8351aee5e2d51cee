package sluice.http.files;

import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/// The time files are stamped with, and waiting. Any thread.
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

  /// Nanoseconds since the epoch.
  long nowNanos();

  /// Waits about that long.
  void pause(long nanos);
}
