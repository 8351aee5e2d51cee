package sluice.bench.run;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Keeps other benches from measuring at the same time. Held by the harness's main thread; the
/// kernel releases it when the process ends in whatever way.
public final class MachineLock implements AutoCloseable {
  private final FileChannel channel;

  private MachineLock(FileChannel channel) {
    this.channel = channel;
  }

  /// Waits until no other bench holds the lock.
  public static MachineLock acquire() throws IOException {
    Path file = Path.of(System.getProperty("java.io.tmpdir"), "sluice-bench.lock");
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      channel.lock();
      return new MachineLock(channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
