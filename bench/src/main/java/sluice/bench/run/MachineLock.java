package sluice.bench.run;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

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
    FileChannel channel = open(file);
    try {
      channel.lock();
      return new MachineLock(channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /// The file is for all users. It is made by the first one: to open a file of another user that
  /// might be made is forbidden in /tmp (fs.protected_regular).
  private static FileChannel open(Path file) throws IOException {
    if (!Files.exists(file)) {
      try {
        Files.createFile(file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
      } catch (FileAlreadyExistsException e) {
        // Another bench was first.
      }
    }
    return FileChannel.open(file, StandardOpenOption.WRITE);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
