package sluice.fs.provider;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import sluice.sys.Files;
import sluice.sys.SysException;

/// Copies part of a file to a memory file that can be mapped. This is necessary because only the
/// JDK can create a [java.nio.MappedByteBuffer]. This class is stateless and thread-safe.
final class MappedCopy {
  private MappedCopy() {}

  /// Copies a range of the file.
  ///
  /// @return a file that begins with the copied bytes and must be closed by the caller
  static FileChannel of(FileChannel file, long from, long size) throws IOException {
    int fd = (int) SysException.check(Files.memfd("copy to be mapped"), "memfd_create");
    FileChannel copy;
    try {
      copy =
          FileChannel.open(
              Path.of("/proc/self/fd/" + fd), StandardOpenOption.READ, StandardOpenOption.WRITE);
    } finally {
      Files.close(fd);
    }
    try {
      long done = 0;
      long bytes;
      do {
        bytes = file.transferTo(from + done, size - done, copy);
        done += bytes;
      } while (bytes > 0);
      return copy;
    } catch (IOException | RuntimeException e) {
      copy.close();
      throw e;
    }
  }
}
