package sluice.testkit;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// Looks for copies of a mount in the mount namespaces of other processes. A new namespace
/// (`unshare -m`, a container) copies all mounts, and an unmounted file system ends only with its
/// last copy. Any thread may call.
public final class MountCopies {
  private MountCopies() {}

  /// Returns true if another namespace has a mount at this place.
  public static boolean exist(Path place) throws IOException {
    Path own = Files.readSymbolicLink(Path.of("/proc/self/ns/mnt"));
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (Path process : processes) {
        if (hasCopy(process, own, " " + place + " ")) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean hasCopy(Path process, Path own, String place) {
    try {
      return !Files.readSymbolicLink(process.resolve("ns/mnt")).equals(own)
          && Files.readString(process.resolve("mountinfo")).contains(place);
    } catch (IOException e) {
      return false; // the process has ended
    }
  }
}
