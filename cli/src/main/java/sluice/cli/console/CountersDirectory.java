package sluice.cli.console;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import sluice.loop.counters.CounterFile;

/// The option with which a command that reads counters says where they are. Used by the main
/// thread.
public final class CountersDirectory {
  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Directory of counters files, for a process with another environment.")
  @Nullable Path given;

  /// What was given, else the directory of this environment.
  public Path path() {
    return given == null ? CounterFile.defaultDirectory() : given;
  }
}
