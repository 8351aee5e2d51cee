package sluice.cli.fs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.host.disk.UnmountWait;
import sluice.host.text.ShellWord;
import sluice.sys.Errno;
import sluice.sys.SysException;
import sluice.sys.mount.Mounts;

/// Implements the command `sluice fs umount`, which unmounts an image and waits until it has been
/// written. It runs in the main thread.
@Command(
    name = "umount",
    description = {
      "Unmounts an image, and returns when it is written: any program may have it then.",
      "umount(8) does so too where the image was mounted from a loop device (by root)."
    },
    mixinStandardHelpOptions = true)
final class FsUmount implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "DIR", description = "Where it is mounted.")
  Path directory = Path.of("");

  @Option(
      names = {"-n", "-v", "-f", "-r"},
      description = "Of umount(8), without effect: it calls this as umount.fuse.sluice.",
      hidden = true)
  boolean ignored;

  @Option(names = "-l", description = "Takes it out of the tree now, and waits for its last user.")
  boolean lazy;

  @Option(names = "-t", description = "As of umount(8), without effect.", hidden = true)
  @Nullable String type;

  @Override
  public Integer call() throws IOException {
    Path place = directory.toAbsolutePath().normalize();
    Path image = null;
    for (UnmountWait.Mounted mounted : UnmountWait.mounts()) {
      if (mounted.directory().equals(place) || mounted.directory().equals(real(place))) {
        image = mounted.source(); // the last mount is on top
        place = mounted.directory();
      }
    }
    if (image == null) {
      throw new IOException(
          directory
              + " is no mount of 'sluice fs mount'. Fix: findmnt -t "
              + String.join(",", UnmountWait.TYPES)
              + " lists them");
    }
    int flags = Mounts.UMOUNT_NOFOLLOW | (lazy ? Mounts.MNT_DETACH : 0);
    int result = Mounts.umount2(place.toString(), flags);
    if (result == -Errno.EBUSY) {
      throw new IOException(
          "%s is in use. Fix: fuser -vm %s names the processes; or give -l"
              .formatted(place, ShellWord.of(place)));
    }
    SysException.check(result, "umount2", place);
    UnmountWait.await(image);
    return 0;
  }

  private static Path real(Path place) {
    try {
      return place.toRealPath();
    } catch (IOException e) {
      return place; // the server was killed
    }
  }
}
