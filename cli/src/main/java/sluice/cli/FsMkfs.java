package sluice.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.fs.BlockDevice;
import sluice.fs.BlockDevices;
import sluice.fs.Ext2Format;
import sluice.fs.FormatOptions;

/// `sluice fs mkfs`. Runs in the main thread.
@Command(
    name = "mkfs",
    description = "Makes an empty ext2 file system in an image; what was in it is gone.",
    mixinStandardHelpOptions = true)
final class FsMkfs implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "IMAGE", description = "Image file or block device.")
  Path image = Path.of("");

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      description = "Makes the image file, or its length, such as 64M or 2G.")
  @Nullable String size;

  @Option(names = "--block", paramLabel = "BYTES", description = "1024, 2048 or 4096.")
  int blockBytes;

  @Option(names = "--inode-ratio", paramLabel = "BYTES", description = "Bytes per file.")
  int bytesPerInode;

  @Option(
      names = "--reserved",
      paramLabel = "PERCENT",
      description = "Blocks kept for root (default: ${DEFAULT-VALUE}).")
  int reservedPercent = 5;

  @Option(names = "--label", description = "Name of the volume, at most 16 bytes.")
  String label = "";

  @Option(names = "--uuid", description = "Instead of a random one.")
  @Nullable UUID uuid;

  @Option(names = "--no-journal", description = "Plain ext2: a crash needs e2fsck afterwards.")
  boolean plain;

  @Option(names = "--force", description = "Also over a file system that is there.")
  boolean force;

  @Override
  public Integer call() throws IOException {
    if (size != null) {
      resize(ByteCount.parse(size));
    }
    try (BlockDevice device = BlockDevices.file(image, false)) {
      if (!force && holdsExt2()) {
        throw new IOException(
            image + " holds an ext2 file system. Fix: give --force to lose what is in it");
      }
      FormatOptions options = options(device.lengthBytes());
      PrintWriter err = spec.commandLine().getErr();
      Progress progress = new Progress(err, "groups");
      Ext2Format.format(device, options, progress::at);
      progress.end();
      spec.commandLine()
          .getOut()
          .printf(
              "%s: ext2, %d bytes, blocks of %d, journal of %d blocks, uuid %s%n",
              image,
              device.lengthBytes(),
              options.blockBytes(),
              options.journalBlocks(),
              options.uuid());
    }
    return 0;
  }

  private FormatOptions options(long bytes) {
    try {
      FormatOptions options = FormatOptions.forDevice(bytes);
      options = blockBytes == 0 ? options : options.withBlockBytes(blockBytes);
      options = bytesPerInode == 0 ? options : options.withBytesPerInode(bytesPerInode);
      options = plain ? options.withJournalBlocks(0) : options.withJournal(bytes);
      options = uuid == null ? options : options.withUuid(uuid);
      return options.withReservedPercent(reservedPercent).withLabel(label);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /// An image file is made, or cut or extended, to a length; nothing is written into it.
  private void resize(long bytes) throws IOException {
    if (bytes < 1) {
      throw new ParameterException(spec.commandLine(), "--size must be a number of bytes: " + size);
    }
    try (SeekableByteChannel file =
        Files.newByteChannel(image, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      file.truncate(bytes);
      if (file.size() < bytes) {
        file.position(bytes - 1);
        file.write(ByteBuffer.allocate(1));
      }
    }
  }

  private boolean holdsExt2() throws IOException {
    try (SeekableByteChannel file = Files.newByteChannel(image)) {
      ByteBuffer magic = ByteBuffer.allocate(2);
      file.position(1080);
      return file.read(magic) == 2 && magic.get(0) == 0x53 && magic.get(1) == (byte) 0xEF;
    }
  }
}
