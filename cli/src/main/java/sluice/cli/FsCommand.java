package sluice.cli;

import picocli.CommandLine.Command;

/// `sluice fs`: works in images of ext2 file systems, and mounts them. Runs in the main thread.
@Command(
    name = "fs",
    description = "Makes, checks, lists, fills and mounts images of ext2 file systems.",
    subcommands = {
      FsMkfs.class,
      FsLs.class,
      FsCp.class,
      FsCat.class,
      FsFsck.class,
      FsMount.class,
    },
    mixinStandardHelpOptions = true)
final class FsCommand {}
