package sluice.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import sluice.sys.NativeMemory;

/// Gives the system back what this process holds and does not use, when it has grown.
///
/// The serial collector extends the heap up to its limit, a quarter of the machine, before it
/// collects the old generation: replies that a cache has dropped would stay as garbage. And the C
/// heap keeps what was freed between blocks that live on. So when the resident memory has grown by
/// [#SLACK_BYTES], or by a quarter, both are asked to let go.
///
/// One thread at a time.
final class ResidentMemory {
  /// Growth that is left alone.
  static final long SLACK_BYTES = 32L << 20;

  private static final long LOOK_MILLIS = 10_000;
  private static final Path STATM = Path.of("/proc/self/statm");
  private static final long PAGE_BYTES = 4096;

  private final LongSupplier residentBytes;
  private final Runnable letGo;
  private long level;

  /// @param residentBytes what is held now
  /// @param letGo frees what can be freed
  ResidentMemory(LongSupplier residentBytes, Runnable letGo) {
    this.residentBytes = residentBytes;
    this.letGo = letGo;
    this.level = residentBytes.getAsLong();
  }

  /// Looks every ten seconds, by a virtual thread, until the process ends.
  static void watch() {
    Thread.ofVirtual()
        .name("resident-memory")
        .start(() -> {
          ResidentMemory memory =
              new ResidentMemory(ResidentMemory::residentBytes, ResidentMemory::letGo);
          while (!Thread.interrupted()) {
            try {
              Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
              return;
            }
            memory.look();
          }
        });
  }

  /// Lets go when more than the slack has come since the last time.
  void look() {
    long now = residentBytes.getAsLong();
    if (now - level > Math.max(SLACK_BYTES, level / 4)) {
      letGo.run();
      now = residentBytes.getAsLong();
      level = now;
    } else {
      level = Math.min(level, now);
    }
  }

  private static void letGo() {
    System.gc();
    NativeMemory.trim();
  }

  /// 0 where it cannot be told; then nothing ever grows.
  private static long residentBytes() {
    try {
      String[] pages = Files.readString(STATM).split(" ", 3);
      return Long.parseLong(pages[1]) * PAGE_BYTES;
    } catch (IOException | RuntimeException e) {
      return 0;
    }
  }
}
