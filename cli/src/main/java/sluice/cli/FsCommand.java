package sluice.cli;

import picocli.CommandLine.Command;

/// `sluice fs`: works in images of ext2 file systems without mounting them. Runs in the main
/// thread.
@Command(
    name = "fs",
    description = "Makes, checks, lists and fills images of ext2 file systems.",
    subcommands = {
      FsMkfs.class,
      FsLs.class,
      FsCp.class,
      FsCat.class,
      FsFsck.class,
    },
    mixinStandardHelpOptions = true)
final class FsCommand {}
