package sluice.fs.block;

import java.io.IOException;
import sluice.fs.FaultyDevice;
import sluice.fs.storage.BlockDevices;

final class FaultyDeviceTest extends BlockDeviceContract {
  @Override
  BlockDevice open() throws IOException {
    return new FaultyDevice(BlockDevices.memory(SIZE)); // without a plan it behaves like any device
  }
}
