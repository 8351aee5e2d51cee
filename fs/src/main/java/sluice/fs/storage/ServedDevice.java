package sluice.fs.storage;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.block.BlockDevice;
import sluice.fs.device.FileDevice;
import sluice.fs.device.LoopAttachment;

/// A device that is served by a mount, together with a block device of the kernel from which it can
/// be mounted. Instances are confined to the mounting thread, which must close them after the mount
/// has succeeded or failed.
public final class ServedDevice implements AutoCloseable {
  private final @Nullable LoopAttachment loop;
  private final String why;

  private ServedDevice(@Nullable LoopAttachment loop, String why) {
    this.loop = loop;
    this.why = why;
  }

  static ServedDevice of(BlockDevice device) throws IOException {
    if (!(device instanceof FileDevice file)) {
      return new ServedDevice(null, "the image is no file and no block device");
    }
    file.serve();
    try {
      return new ServedDevice(file.attach(), "");
    } catch (IOException e) {
      String first = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      return new ServedDevice(null, "no loop device: " + first);
    }
  }

  /// Returns the path of the block device, such as `/dev/loop0`, or an empty string if there is
  /// none.
  public String blockDevice() {
    return loop == null ? "" : loop.path();
  }

  /// Returns a short description of the reason why there is no block device.
  public String why() {
    return why;
  }

  @Override
  public void close() {
    if (loop != null) {
      loop.close();
    }
  }
}
