package sluice.bench.iozone;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import sluice.bench.run.Commands;
import sluice.bench.run.Packages;
import sluice.bench.run.Systems;
import sluice.bench.run.Workspace;

/// The file systems of `bench iozone`, and the commands that start their workers. Used by the
/// harness's main thread.
///
/// A peer's mount is in a mount namespace of its worker alone: however the worker ends, the kernel
/// then unmounts and frees the loop device. So nothing has to be cleaned up.
final class IozoneSystems {
  /// Sluice, reading without a copy; measured by the worker of [#REFERENCE].
  static final String SLICES = "sluice/slices";

  static final String REFERENCE = "sluice/memory";

  static final List<String> NAMES =
      List.of(
          REFERENCE,
          SLICES,
          "sluice/journal",
          "sluice/file",
          "sluice/io_uring",
          "filechannel-ext2",
          "filechannel-ext2-aligned",
          "pread-ext2",
          "pread-ext2-aligned",
          "filechannel-ext4",
          "pread-ext4",
          "filechannel-tmpfs",
          "pread-tmpfs",
          "filechannel-fuse2fs",
          "pread-fuse2fs");

  private static final List<String> QUICK =
      List.of(
          REFERENCE,
          SLICES,
          "sluice/io_uring",
          "filechannel-ext2",
          "filechannel-ext2-aligned",
          "pread-ext2");

  /// The suffix of the name of a peer whose buffer begins at a page; the other peers use buffers as
  /// malloc(3) and `allocateDirect` return them.
  private static final String ALIGNED = "-aligned";

  private static final List<String> JVM =
      List.of("-XX:+UseSerialGC", "-Xms768m", "-Xmx768m", "-Xlog:disable");

  private static final String MOUNT = "mount -o loop \"$1\" \"$2\" && shift 2 && exec \"$@\"";

  private static final String MOUNT_TMPFS =
      "mount -t tmpfs -o size=2g \"$1\" \"$2\" && shift 2 && exec \"$@\"";

  /// Mounts fuse2fs. The daemon ends with the shell, and the shell unmounts after the worker.
  private static final String MOUNT_FUSE =
      """
      image=$1 folder=$2
      shift 2
      setpriv --pdeathsig KILL fuse2fs -f "$image" "$folder" >&2 &
      tries=0
      until mountpoint -q "$folder"; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || exit 1
        sleep 0.1
      done
      "$@"
      umount "$folder"
      wait
      """;

  private final Workspace workspace;
  private final long deviceBytes;
  private final long cacheBytes;

  /// @param large true if files of [IozoneCase#LARGE_BYTES] are written
  IozoneSystems(Workspace workspace, boolean large) {
    this.workspace = workspace;
    deviceBytes = large ? 1280L << 20 : 256L << 20;
    cacheBytes = large ? 4L << 30 : 256L << 20;
  }

  static List<String> defaults(boolean quick) {
    return quick ? QUICK : NAMES;
  }

  /// Returns the command of a system's worker.
  ///
  /// @param index distinguishes workers of one system
  /// @throws IOException if it cannot run here, with a fix
  List<String> command(String system, int index) throws IOException {
    String name = system.replace('/', '-') + "-" + index;
    if (Systems.isOurs(system)) {
      return ours(system.substring(Systems.OURS.length()), name);
    }
    boolean aligned = system.endsWith(ALIGNED);
    String plain = aligned ? system.substring(0, system.length() - ALIGNED.length()) : system;
    String kind = plain.substring(plain.indexOf('-') + 1);
    if (!System.getProperty("user.name").equals("root")) {
      throw new IOException(system + ": only root may mount. Fix: run the bench as root");
    }
    Path folder = Files.createDirectory(workspace.temporary("mount-" + name));
    List<String> command = new ArrayList<>(List.of("unshare", "-m", "sh", "-c"));
    switch (kind) {
      case "tmpfs" -> command.addAll(List.of(MOUNT_TMPFS, "sh", "tmpfs"));
      case "fuse2fs" -> {
        String why = "it is a peer of bench iozone";
        String _ = Packages.program("fuse2fs", "fuse2fs", why);
        command.addAll(List.of(MOUNT_FUSE, "sh", image(name, "ext2").toString()));
      }
      default -> command.addAll(List.of(MOUNT, "sh", image(name, kind).toString()));
    }
    command.add(folder.toString());
    if (system.startsWith("pread-")) {
      command.addAll(List.of(workspace.iozonePeer().toString(), folder.toString()));
    } else {
      command.addAll(java(List.of("filechannel", folder.toString())));
    }
    if (aligned) {
      command.add("aligned");
    }
    return command;
  }

  private List<String> ours(String kind, String name) throws IOException {
    boolean onFile = kind.equals("file") || kind.equals("io_uring");
    String image = onFile ? image(name, "ext2").toString() : "none";
    return java(
        List.of("tree", kind, image, Long.toString(deviceBytes), Long.toString(cacheBytes)));
  }

  private List<String> java(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(Systems.javaProgram()));
    command.addAll(JVM);
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", workspace.classPath(false), "sluice.bench.iozone.IozoneMain"));
    command.addAll(arguments);
    return command;
  }

  /// Returns an image with the same size, block size and inode size for all peers, with its tables
  /// written.
  private Path image(String name, String type) throws IOException {
    Path image = workspace.temporary("image-" + name);
    long free = Files.getFileStore(workspace.temporary("")).getUsableSpace();
    if (free < 2 * deviceBytes) {
      throw new IOException("no room for " + image + ": " + (free >> 20) + " MB are free");
    }
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(deviceBytes);
    }
    List<String> command =
        new ArrayList<>(List.of(Packages.program("mke2fs", "e2fsprogs", "it makes the images")));
    command.addAll(List.of("-q", "-F", "-t", type, "-b", "4096", "-I", "256", "-m", "0"));
    command.addAll(List.of("-E", "lazy_itable_init=0,lazy_journal_init=0", image.toString()));
    String _ = Commands.run(120, command);
    return image;
  }
}
