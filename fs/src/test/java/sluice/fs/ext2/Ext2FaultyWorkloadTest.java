package sluice.fs.ext2;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.FaultyDevice;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;
import sluice.testbase.Slice;

/// Runs a mixed workload on a device that sometimes fails to read, write or flush, with torn writes
/// or not. Once the device works again, everything that was awaited is there, and nothing is half
/// done.
///
/// All parts of [Slice] together are eighty workloads of each kind.
@Timeout(900)
final class Ext2FaultyWorkloadTest {
  private static final long BYTES = 4L << 20;
  private static final int WORKLOADS = 80;
  private static final int OPERATIONS = 300;

  @TempDir Path directory;

  @ParameterizedTest(name = "journal {0}")
  @ValueSource(booleans = {true, false})
  void nothingIsHalfThere(boolean journaled) throws IOException, InterruptedException {
    MountOptions options =
        MountOptions.defaults().withCacheBytes(400 << 10).withInodes(16).withAccessTimes(false);
    for (long seed : Slice.current().seeds(WORKLOADS).toArray()) {
      BlockDevice device = BlockDevices.memory(BYTES);
      FormatOptions format = FormatOptions.forDevice(BYTES).withJournalBlocks(journaled ? 1024 : 0);
      Ext2Format.format(device, format, _ -> {});
      CrashWorkload.Recorded recorded;
      FaultyDevice faulty = new FaultyDevice(device);
      try (CrashWorkload work = new CrashWorkload(seed, faulty, options)) {
        recorded = work.run(OPERATIONS);
      }
      String what = "seed " + seed + ", " + faulty.failed + " failures";
      try (CrashJudge judge = new CrashJudge(options, directory.resolve("faulty.img"))) {
        if (journaled) {
          judge.journaled(device, recorded, 0, faulty.failed.get() > 0, what);
        } else {
          judge.plain(device, recorded, 0, what);
        }
      }
      device.close();
    }
  }
}
