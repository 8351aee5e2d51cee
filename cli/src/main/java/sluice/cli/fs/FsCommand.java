package sluice.cli.fs;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/// Implements the command `sluice fs`, which creates, examines and mounts images of ext2 file
/// systems. It runs in the main thread.
@Command(
    name = "fs",
    description = "Makes, checks, lists, fills and mounts images of ext2 file systems.",
    mixinStandardHelpOptions = true)
public final class FsCommand {
  /// Creates the command with the given subcommand, or with all subcommands if there is no such
  /// subcommand. Creating a subcommand takes a few milliseconds.
  public static CommandLine line(String word) {
    CommandLine fs = new CommandLine(new FsCommand());
    switch (word) {
      case "mkfs" -> fs.addSubcommand(new FsMkfs());
      case "ls" -> fs.addSubcommand(new FsLs());
      case "cp" -> fs.addSubcommand(new FsCp());
      case "cat" -> fs.addSubcommand(new FsCat());
      case "fsck" -> fs.addSubcommand(new FsFsck());
      case "mount" -> fs.addSubcommand(new FsMount());
      case "umount" -> fs.addSubcommand(new FsUmount());
      default -> {
        fs.addSubcommand(new FsMkfs());
        fs.addSubcommand(new FsLs());
        fs.addSubcommand(new FsCp());
        fs.addSubcommand(new FsCat());
        fs.addSubcommand(new FsFsck());
        fs.addSubcommand(new FsMount());
        fs.addSubcommand(new FsUmount());
      }
    }
    return fs;
  }
}
