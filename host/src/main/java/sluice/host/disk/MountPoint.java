package sluice.host.disk;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import sluice.host.text.ShellWord;
import sluice.sys.Errno;
import sluice.sys.Statx;

/// The directory on which an image is mounted. Instances are immutable and thread-safe.
record MountPoint(Path directory) {
  /// The reason why a directory cannot be a mount point.
  record Problem(String why, String fix) {}

  /// Returns the reason why this directory cannot be a mount point, or null if it can be one.
  @Nullable Problem problem() {
    // The attributes must not be cached, because cached attributes do not show that the process
    // which served a mount has terminated.
    int found =
        sluice.sys.Files.statx(
            sluice.sys.Files.AT_FDCWD,
            directory.toString(),
            sluice.sys.Files.AT_STATX_FORCE_SYNC,
            Statx.STATX_BASIC_STATS,
            new Statx());
    if (found == -Errno.ENOTCONN) {
      return new Problem(
          directory + " is the mount of a server that was killed",
          "umount -l " + ShellWord.of(directory) + ", then mount again: the journal is replayed");
    }
    if (!Files.isDirectory(directory)) {
      return new Problem(
          "the mount point "
              + directory
              + (Files.exists(directory) ? " is no directory" : " does not exist"),
          "mkdir -p " + ShellWord.of(directory));
    }
    return null;
  }

  /// Checks that this directory can be a mount point.
  ///
  /// @return true if the mount hides existing files
  /// @throws IOException if it cannot be a mount point; the message contains the reason and a fix
  boolean require() throws IOException {
    Problem problem = problem();
    if (problem != null) {
      throw new IOException(problem.why() + ". Fix: " + problem.fix());
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      return entries.iterator().hasNext();
    }
  }
}
