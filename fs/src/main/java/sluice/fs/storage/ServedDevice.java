package sluice.fs.storage;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.fs.block.BlockDevice;
import sluice.fs.device.FileDevice;
import sluice.fs.device.LoopAttachment;

/// A device that a mount serves, with a block device of the kernel from which the mount can be
/// made. Of the thread that mounts; to be closed when it has mounted, or failed to.
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

  /// Path of the block device, such as `/dev/loop0`; empty where there is none.
  public String blockDevice() {
    return loop == null ? "" : loop.path();
  }

  /// Why there is no block device, in a few words.
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
