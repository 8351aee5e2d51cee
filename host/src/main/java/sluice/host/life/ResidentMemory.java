package sluice.host.life;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;
import sluice.host.machine.MachineFiles;
import sluice.sys.NativeMemory;
import sluice.sys.threads.Uninterrupted;

/// Gives the system back what this process holds and does not use, when it has grown.
///
/// The serial collector extends the heap up to its limit, a quarter of the machine, before it
/// collects the old generation: replies that a cache has dropped would stay as garbage. And the C
/// heap keeps what was freed between blocks that live on. So when the resident memory has grown by
/// [#SLACK_BYTES], or by a quarter, both are asked to let go.
///
/// One thread at a time.
public final class ResidentMemory {
  /// Growth that is left alone.
  static final long SLACK_BYTES = 32L << 20;

  private static final Duration LOOK = Duration.ofSeconds(10);

  private final LongSupplier residentBytes;
  private final Runnable letGo;
  private long level;

  /// Watches the memory of this process.
  ///
  /// @param residentBytes what is held now; always 0 where that cannot be told
  /// @param letGo frees what can be freed
  public ResidentMemory(LongSupplier residentBytes, Runnable letGo) {
    this.residentBytes = residentBytes;
    this.letGo = letGo;
    this.level = residentBytes.getAsLong();
  }

  /// Looks every ten seconds, by a virtual thread, until the process ends.
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

  /// Lets go when more than the slack has come since the last time.
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
