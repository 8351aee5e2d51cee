package sluice.bench.run;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/// A lock that keeps other benches from measuring at the same time. Held by the harness's main
/// thread; the kernel releases it when the process ends in whatever way.
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

  /// Opens the lock file, which all users share. The first one creates it separately: in /tmp, an
  /// open that may create is refused for another user's file (fs.protected_regular).
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
