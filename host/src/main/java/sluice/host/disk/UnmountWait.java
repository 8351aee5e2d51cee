package sluice.host.disk;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import sluice.fs.block.BlockDevice;
import sluice.fs.storage.BlockDevices;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// Waits for images that have just been unmounted. This class is stateless.
///
/// After `umount(2)`, the server of a FUSE file system still has to unlock the image. It also has
/// to write the image if it was not mounted from a loop device. A command that is started in the
/// meantime waits until this has been done. If an image is mounted or is used by another program,
/// it is refused without waiting.
public final class UnmountWait {
  private static final long TIMEOUT_SECONDS = 60;
  private static final long PAUSE_MILLIS = 5;

  /// The file system types of images that are mounted by `sluice fs mount` without and with a loop
  /// device.
  public static final List<String> TYPES = List.of("fuse.sluice", "fuseblk.sluice");

  /// A mount.
  ///
  /// @param source the path of the image
  /// @param directory the mount point
  public record Mounted(Path source, Path directory) {}

  private UnmountWait() {}

  /// Opens an image. If the image is being unmounted, this method waits until it has been closed.
  ///
  /// @param err receives one line if this method has to wait
  public static BlockDevice open(Path image, boolean readOnly, PrintWriter err) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
    boolean told = false;
    boolean again = false;
    while (true) {
      try {
        return BlockDevices.file(image, readOnly);
      } catch (SysException e) {
        boolean inUse = e.errno() == Errno.EAGAIN || e.errno() == Errno.EBUSY;
        boolean served = inUse && BlockDevices.isServed(image);
        // If no process serves the image, it may have been closed between the two checks. In this
        // case, opening it is tried once more.
        if (!inUse || (!served && again) || System.nanoTime() > end || isMounted(image)) {
          throw e;
        }
        again = !served;
      }
      if (!again && !told) {
        err.println(
            "sluice: " + image + " was unmounted and is still being written: waits for that");
        told = true;
      }
      pause();
    }
  }

  private static void pause() throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while an image was being written", e);
    }
  }

  private static boolean isMounted(Path image) throws IOException {
    for (Mounted mounted : mounts()) {
      if (Files.exists(mounted.source) && Files.isSameFile(mounted.source, image)) {
        return true;
      }
    }
    return false;
  }

  /// Waits until the process that served an image has closed it or until the image is mounted
  /// again.
  public static void await(Path image) throws IOException {
    while (Files.exists(image) && BlockDevices.isServed(image) && !isMounted(image)) {
      pause();
    }
  }

  /// Returns the mounts that were created by `sluice fs mount`, in the order of
  /// `proc_pid_mountinfo(5)`.
  public static List<Mounted> mounts() throws IOException {
    List<Mounted> found = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
      String[] halves = line.split(" - ", 2);
      String[] place = halves[0].split(" ", -1);
      String[] kind = halves[halves.length - 1].split(" ", -1);
      if (place.length > 4 && kind.length > 1 && TYPES.contains(kind[0])) {
        Path source = imageOf(Path.of(unescaped(kind[1])));
        found.add(new Mounted(source, Path.of(unescaped(place[4]))));
      }
    }
    return found;
  }

  /// Returns the image that backs a loop device.
  private static Path imageOf(Path source) {
    Path behind = Path.of("/sys/block/" + source.getFileName() + "/loop/backing_file");
    try {
      return Path.of(Files.readString(behind).strip());
    } catch (IOException e) {
      return source; // mounted without a loop device
    }
  }

  /// Decodes blanks, tabs, newlines and backslashes, which are encoded as three octal digits.
  private static String unescaped(String text) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 4 <= text.length()) {
        out.append((char) Integer.parseInt(text, i + 1, i + 4, 8));
        i += 3;
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }
}
