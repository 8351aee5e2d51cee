package sluice.cli.console;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import sluice.loop.counters.CounterFile;

/// The option `--dir` of commands that read counters. Instances are confined to the main thread.
public final class CountersDirectory {
  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Directory of counters files, for a process with another environment.")
  @Nullable Path given;

  /// Returns the directory that was specified, or the default for this environment.
  public Path path() {
    return given == null ? CounterFile.defaultDirectory() : given;
  }
}
