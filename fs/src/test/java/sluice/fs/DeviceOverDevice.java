package sluice.fs;

import java.io.IOException;
import sluice.fs.block.BlockDevice;
import sluice.memory.block.Block;

/// A device that delegates to another device, with methods for subclasses to override. Safe for use
/// by any thread.
///
/// Batches are split into single transfers, so that a subclass sees each of them.
public abstract class DeviceOverDevice implements BlockDevice {
  private final BlockDevice device;

  public DeviceOverDevice(BlockDevice device) {
    this.device = device;
  }

  @Override
  public final long lengthBytes() {
    return device.lengthBytes();
  }

  @Override
  public final int sectorBytes() {
    return device.sectorBytes();
  }

  @Override
  public final boolean readOnly() {
    return device.readOnly();
  }

  @Override
  public void read(long position, Block into, long offset, int bytes) throws IOException {
    device.read(position, into, offset, bytes);
  }

  @Override
  public void write(long position, Block from, long offset, int bytes) throws IOException {
    device.write(position, from, offset, bytes);
  }

  @Override
  public void flush() throws IOException {
    device.flush();
  }

  @Override
  public final void close() throws IOException {
    device.close();
  }
}
