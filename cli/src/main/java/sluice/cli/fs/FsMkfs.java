package sluice.cli.fs;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
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
import sluice.cli.console.Progress;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.host.disk.UnmountWait;
import sluice.host.life.Interrupts;
import sluice.host.text.ByteCount;
import sluice.host.text.ShellWord;

/// Implements the command `sluice fs mkfs`. It runs in the main thread.
@Command(
    name = "mkfs",
    description = "Makes an empty ext2 file system in an image; what was in it is gone.",
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:it is made",
      "1:it failed",
      "2:wrong usage",
      "130:ended by Ctrl-C (129, 143: HUP, TERM); an image that it made is removed again"
    },
    mixinStandardHelpOptions = true)
final class FsMkfs implements Callable<Integer> {
  /// The length of the range that is checked. It contains the magic numbers of all common file
  /// systems and the beginning of any other file.
  private static final int HEAD_BYTES = 68 << 10;

  private static final int SUPERBLOCK_MAGIC = 1024 + 56;

  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "IMAGE", description = "Image file or block device.")
  Path image = Path.of("");

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      description = "Makes the image file, or its length, such as 64M or 2G.")
  @Nullable String size;

  @Option(names = "--block", paramLabel = "BYTES", description = "1024, 2048 or 4096.")
  @Nullable String block;

  @Option(
      names = "--inode-ratio",
      paramLabel = "BYTES",
      description = "Bytes per file, such as 16k.")
  @Nullable String inodeRatio;

  @Option(
      names = "--reserved",
      paramLabel = "PERCENT",
      description = "Blocks kept for root (default: ${DEFAULT-VALUE}).")
  int reservedPercent = 5;

  @Option(
      names = "--label",
      paramLabel = "NAME",
      description = "Name of the volume, at most 16 bytes.")
  String label = "";

  @Option(names = "--uuid", paramLabel = "UUID", description = "Instead of a random one.")
  @Nullable UUID uuid;

  @Option(names = "--no-journal", description = "Plain ext2: a crash needs e2fsck afterwards.")
  boolean plain;

  @Option(names = "--force", description = "Also over what is there.")
  boolean force;

  /// True if the file was created by this run.
  private boolean made;

  @Override
  public Integer call() throws IOException {
    long wanted = size == null ? -1 : ByteCount.parse(size);
    if (size != null) {
      if (wanted < 1) {
        throw new ParameterException(
            spec.commandLine(), "--size must be a number of bytes: " + size + ". Fix: --size 1G");
      }
      options(wanted); // reports errors before anything is changed
      prepare(wanted);
    } else if (!Files.exists(image)) {
      throw new IOException(image + " does not exist. Fix: give --size to make it, such as 1G");
    }
    try {
      format();
      return 0;
    } catch (IOException | RuntimeException e) {
      if (made) {
        Files.deleteIfExists(image); // no other process has seen it
      }
      if (e.getCause() instanceof Interrupts.Ended ended) {
        String left = made ? " is removed again" : " holds no file system now";
        spec.commandLine().getErr().println("sluice: " + ended.getMessage() + "; " + image + left);
        return ended.exitCode();
      }
      throw e;
    }
  }

  private void format() throws IOException {
    try (BlockDevice device = UnmountWait.open(image, false, spec.commandLine().getErr());
        Interrupts interrupts = new Interrupts()) {
      refuseUnlessEmpty();
      FormatOptions options = options(device.lengthBytes());
      PrintWriter err = spec.commandLine().getErr();
      long groupBytes = 8L * options.blockBytes() * options.blockBytes();
      long groups = (device.lengthBytes() + groupBytes - 1) / groupBytes;
      Progress progress = new Progress(err, "groups", groups);
      Ext2Format.format(
          device,
          options,
          group -> {
            progress.at(group);
            try {
              interrupts.check();
            } catch (Interrupts.Ended e) {
              throw new UncheckedIOException(e);
            }
          });
      progress.end();
      spec.commandLine()
          .getOut()
          .printf(
              "%s: ext2, %d bytes, blocks of %d, %s, uuid %s%n",
              image,
              device.lengthBytes(),
              options.blockBytes(),
              options.journalBlocks() == 0
                  ? "no journal"
                  : "journal of " + options.journalBlocks() + " blocks",
              options.uuid());
    }
  }

  private int bytes(String option, String text) {
    long bytes = ByteCount.parse(text);
    if (bytes < 1 || bytes > Integer.MAX_VALUE) {
      throw new ParameterException(
          spec.commandLine(),
          option + " must be a number of bytes, such as 4k: " + text + ". Fix: " + option + " 4k");
    }
    return (int) bytes;
  }

  private FormatOptions options(long bytes) {
    try {
      FormatOptions options = FormatOptions.forDevice(bytes);
      options = block == null ? options : options.withBlockBytes(bytes("--block", block));
      options =
          inodeRatio == null
              ? options
              : options.withBytesPerInode(bytes("--inode-ratio", inodeRatio));
      options = plain ? options.withJournalBlocks(0) : options.withJournal(bytes);
      options = uuid == null ? options : options.withUuid(uuid);
      return options.withReservedPercent(reservedPercent).withLabel(label);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /// Creates the image file, or changes its length if it is not used by another process and no data
  /// are lost. This method does not write any data.
  private void prepare(long bytes) throws IOException {
    if (!Files.exists(image)) {
      made = true;
      try {
        resize(bytes, StandardOpenOption.CREATE_NEW);
      } catch (IOException e) {
        Files.deleteIfExists(image);
        throw e;
      }
      return;
    }
    if (Files.isDirectory(image)) {
      throw new IOException(image + " is a directory. Fix: name a file in it");
    }
    if (!Files.isRegularFile(image)) {
      throw new IOException(image + " is a device, which has its size. Fix: leave --size out");
    }
    try (BlockDevice _ =
        UnmountWait.open(image, false, spec.commandLine().getErr())) { // holds the lock
      refuseUnlessEmpty();
      resize(bytes, StandardOpenOption.CREATE);
    }
  }

  private void resize(long bytes, StandardOpenOption how) throws IOException {
    try (SeekableByteChannel file = Files.newByteChannel(image, how, StandardOpenOption.WRITE)) {
      file.truncate(bytes);
      if (file.size() < bytes) {
        file.position(bytes - 1);
        file.write(ByteBuffer.allocate(1));
      }
    } catch (NoSuchFileException e) {
      String folder = String.valueOf(image.toAbsolutePath().getParent());
      throw new IOException(folder + " does not exist. Fix: mkdir -p " + ShellWord.of(folder), e);
    } catch (FileSystemException e) {
      throw e; // its message names the file
    } catch (IOException e) {
      throw new IOException(
          "%s cannot be %d bytes long: %s. Fix: give a smaller --size, or name a file elsewhere"
              .formatted(image, bytes, e.getMessage()),
          e);
    }
  }

  /// Refuses an image that may contain data. An image that starts with zeros does not contain a
  /// known file system, archive or document.
  private void refuseUnlessEmpty() throws IOException {
    if (force) {
      return;
    }
    ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
    try (SeekableByteChannel file = Files.newByteChannel(image)) {
      while (head.hasRemaining() && file.read(head) > 0) {}
    }
    head.flip();
    int magic = SUPERBLOCK_MAGIC;
    if (head.limit() > magic + 1 && head.get(magic) == 0x53 && head.get(magic + 1) == (byte) 0xEF) {
      throw new IOException(
          image + " holds an ext2 file system. Fix: give --force to lose what is in it");
    }
    while (head.hasRemaining()) {
      if (head.get() != 0) {
        throw new IOException(image + " is not empty. Fix: give --force to lose what is in it");
      }
    }
  }
}
