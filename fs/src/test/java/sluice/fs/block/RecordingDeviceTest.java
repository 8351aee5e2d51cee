package sluice.fs.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import sluice.fs.Blocks;
import sluice.fs.DeviceOverDevice;
import sluice.fs.RecordingDevice;
import sluice.fs.storage.BlockDevices;
import sluice.memory.block.Block;

final class RecordingDeviceTest extends BlockDeviceContract {
  @Override
  BlockDevice open() throws IOException {
    return new RecordingDevice(BlockDevices.memory(SIZE));
  }

  @Test
  void keepsWhatWasFlushedAndLosesSomeOfTheRest() throws IOException {
    RecordingDevice device = new RecordingDevice(BlockDevices.memory(8192));
    Block one = Blocks.patterned(1024, 1);
    device.write(0, one, 0, 1024);
    device.flush();
    device.write(2048, one, 0, 1024);
    device.write(4096, one, 0, 1024);
    assertThat(device.events()).isEqualTo(4);
    Set<String> states = new HashSet<>();
    Block all = Blocks.of(8192);
    for (int seed = 0; seed < 200; seed++) {
      BlockDevice crashed = BlockDevices.memory(8192);
      int flushed = device.applyFlushed(0, 4, crashed);
      assertThat(flushed).isEqualTo(2);
      device.applySome(flushed, 4, new Random(seed), crashed);
      crashed.read(0, all, 0, 8192);
      byte[] bytes = Blocks.bytes(all);
      assertThat(bytes[100]).isEqualTo(Blocks.pattern(1, 100));
      states.add(sign(bytes[2048 + 9]) + sign(bytes[2048 + 600]) + sign(bytes[4096 + 9]));
      crashed.close();
    }
    assertThat(states).contains("---", "+++", "++-", "--+", "+--");
    all.release();
    one.release();
    device.close();
  }

  @Test
  void aFlushVouchesForNothingThatWasWrittenWhileItRan() throws IOException {
    Block one = Blocks.patterned(1024, 1);
    RecordingDevice[] recording = new RecordingDevice[1];
    BlockDevice below =
        new DeviceOverDevice(BlockDevices.memory(8192)) {
          @Override
          public void flush() throws IOException {
            recording[0].write(2048, one, 0, 1024);
            super.flush();
          }
        };
    RecordingDevice device = new RecordingDevice(below);
    recording[0] = device;
    device.write(0, one, 0, 1024);
    device.flush();
    try (BlockDevice crashed = BlockDevices.memory(8192)) {
      assertThat(device.applyFlushed(0, device.events(), crashed)).isEqualTo(1);
      Block all = Blocks.of(8192);
      crashed.read(0, all, 0, 8192);
      byte[] bytes = Blocks.bytes(all);
      assertThat(bytes[100]).isEqualTo(Blocks.pattern(1, 100));
      assertThat(bytes[2048 + 100]).isZero();
      all.release();
    }
    one.release();
    device.close();
  }

  private static String sign(byte value) {
    return value == 0 ? "-" : "+";
  }
}
