package sluice.host.disk;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import sluice.fs.ext2.MountOptions;
import sluice.fs.fuse.FuseOptions;
import sluice.loop.server.ServerConfig;
import sluice.net.transport.StackOption;
import sluice.nfs.ExportOptions;

/// The settings of a disk, which is an ext2 image or a directory of this machine, and of its mount
/// and export.
///
/// @param name the name of the disk, which is unique within a host
/// @param source the image file, block device or directory
/// @param options the mount options of the image
/// @param mount the FUSE mount, which is supported only for images, or null if the disk is not
///   mounted
/// @param export the NFS export, or null if the disk is not exported
public record DiskSettings(
    String name,
    Path source,
    MountOptions options,
    @Nullable Mount mount,
    @Nullable Export export) {

  /// The settings of a FUSE mount.
  ///
  /// @param directory the mount point
  /// @param options the options of the mount
  public record Mount(Path directory, FuseOptions options) {}

  /// The settings of an NFS export.
  ///
  /// @param path the path that clients mount
  /// @param directory the exported directory of the disk
  /// @param options the options of the export
  /// @param server the configuration of the server
  /// @param udp true to serve UDP as well
  /// @param portmap true to use port 111 if it is free
  /// @param stack the network stack in this process that is used for UDP, or null for the stack of
  ///   the kernel
  public record Export(
      String path,
      String directory,
      ExportOptions options,
      ServerConfig server,
      boolean udp,
      boolean portmap,
      @Nullable StackOption stack) {}
}
