package sluice.host.life;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;
import sluice.host.machine.MachineFiles;
import sluice.sys.NativeMemory;
import sluice.sys.threads.Uninterrupted;

/// Returns unused memory of this process to the system when it has grown.
///
/// The serial collector extends the heap up to its limit, which is a quarter of the machine's
/// memory, before it collects the old generation. Replies that have been evicted from a cache would
/// therefore remain as garbage. The C heap retains freed memory between live blocks. When the
/// resident memory has grown by [#SLACK_BYTES] or by a quarter, whichever is more, both heaps are
/// requested to release memory.
///
/// This class is not thread-safe.
public final class ResidentMemory {
  /// The growth of the resident memory that is tolerated.
  static final long SLACK_BYTES = 32L << 20;

  private static final Duration LOOK = Duration.ofSeconds(10);

  private final LongSupplier residentBytes;
  private final Runnable letGo;
  private long level;

  /// Creates an instance that monitors the memory of this process.
  ///
  /// @param residentBytes a supplier of the resident memory, which is always 0 if it cannot be
  ///   measured
  /// @param letGo an action that releases unused memory
  public ResidentMemory(LongSupplier residentBytes, Runnable letGo) {
    this.residentBytes = residentBytes;
    this.letGo = letGo;
    this.level = residentBytes.getAsLong();
  }

  /// Starts a virtual thread that checks the memory every ten seconds until the process ends.
  public static void watch() {
    Thread.ofVirtual()
        .name("resident-memory")
        .start(() -> {
          MachineFiles files = new MachineFiles(Path.of("/"));
          ResidentMemory memory =
              new ResidentMemory(() -> files.residentBytes("self"), ResidentMemory::letGo);
          while (true) {
            Uninterrupted.sleep(LOOK);
            memory.look();
          }
        });
  }

  /// Releases memory if it has grown by more than the slack since it was last released.
  void look() {
    long now = residentBytes.getAsLong();
    if (now - level > Math.max(SLACK_BYTES, level / 4)) {
      letGo.run();
      level = residentBytes.getAsLong();
    } else {
      level = Math.min(level, now);
    }
  }

  private static void letGo() {
    System.gc();
    NativeMemory.trim();
  }
}
