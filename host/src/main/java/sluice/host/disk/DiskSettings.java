package sluice.host.disk;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import sluice.fs.ext2.MountOptions;
import sluice.fs.fuse.FuseOptions;
import sluice.loop.server.ServerConfig;
import sluice.net.transport.StackOption;
import sluice.nfs.ExportOptions;

/// Settings of a disk: an ext2 image, or a directory of this machine, and what is done with it.
///
/// @param name unique in a host
/// @param source image file, block device or directory
/// @param options of the image
/// @param mount where it is mounted through FUSE, for images only; null for nowhere
/// @param export how it is exported over NFS; null for not at all
public record DiskSettings(
    String name,
    Path source,
    MountOptions options,
    @Nullable Mount mount,
    @Nullable Export export) {

  /// A mount through FUSE.
  ///
  /// @param directory where the files appear
  public record Mount(Path directory, FuseOptions options) {}

  /// An export over NFS.
  ///
  /// @param path that clients mount
  /// @param directory in the disk that is exported
  /// @param udp whether calls come by UDP too
  /// @param portmap whether port 111 is taken where it is free
  /// @param stack a network stack in this process for UDP, instead of the kernel's
  public record Export(
      String path,
      String directory,
      ExportOptions options,
      ServerConfig server,
      boolean udp,
      boolean portmap,
      @Nullable StackOption stack) {}
}
