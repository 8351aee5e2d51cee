package sluice.host.disk;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import sluice.host.text.ShellWord;
import sluice.sys.Errno;
import sluice.sys.Statx;

/// The directory that an image is mounted over. Immutable: any thread may use it.
record MountPoint(Path directory) {
  /// @param why it cannot be mounted over
  record Problem(String why, String fix) {}

  /// Returns why nothing can be mounted there; null if something can.
  @Nullable Problem problem() {
    // What the kernel remembers of a mount says nothing about the process that serves it.
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

  /// Checks that something can be mounted there.
  ///
  /// @return true if a mount hides files that are there
  /// @throws IOException if not, with why and fix
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
