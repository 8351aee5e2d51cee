package sluice.fs.block;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import sluice.fs.storage.BlockDevices;

final class MemoryDeviceTest extends BlockDeviceContract {
  @Override
  BlockDevice open() throws IOException {
    return BlockDevices.memory(SIZE);
  }

  @Test
  void isMadeOfWholeSectors() {
    assertThatThrownBy(() -> BlockDevices.memory(1000))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
