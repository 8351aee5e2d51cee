package sluice.cli.domain;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import sluice.cli.console.TerminalText;
import sluice.loop.counters.CounterFile;

/// `sluice domain kill`: ends one domain of a running process, not the process. Runs in the main
/// thread.
@Command(
    name = "kill",
    description = "Ends a domain of a running process, and not its neighbours.",
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:its gates are closed",
      "1:its process did not answer within 5 s",
      "2:wrong usage, or no such domain"
    },
    mixinStandardHelpOptions = true)
final class DomainKillCommand implements Callable<Integer> {
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int LOOK_MILLIS = 10;

  @Spec CommandSpec spec = CommandSpec.create();

  @Mixin DomainNamed named = new DomainNamed();

  @Override
  public Integer call() throws IOException, InterruptedException {
    DomainRow row = named.row();
    String shown = "domain " + TerminalText.line(row.name()) + " of process " + row.pid();
    if (row.value(DomainCounters.ALIVE) != 0) {
      Path counters = CounterFile.fileOf(named.directory(), row.pid());
      if (!end(row, counters)) {
        throw new IOException(
            shown + " was not ended within 5 s. Why: the process does not look. Fix: kill it");
      }
    }
    spec.commandLine().getOut().println(shown + " has ended");
    spec.commandLine().getOut().flush();
    return 0;
  }

  private static boolean end(DomainRow row, Path counters)
      throws IOException, InterruptedException {
    Path request = DomainCounters.request(counters, row.name());
    try {
      Files.createFile(request);
    } catch (FileAlreadyExistsException e) {
      // another command asks for the same
    }
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    while (Files.exists(request)) {
      if (!ProcessHandle.of(row.pid()).map(ProcessHandle::isAlive).orElse(false)) {
        break;
      }
      if (System.nanoTime() > deadline) {
        return !Files.deleteIfExists(request);
      }
      Thread.sleep(LOOK_MILLIS);
    }
    Files.deleteIfExists(request); // of a process that ended meanwhile
    return true;
  }
}
