package sluice.cli.domain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import sluice.cli.console.TerminalText;
import sluice.loop.counters.CounterFile;

/// `sluice domain replace`: has a running process load the jars of a domain's components again,
/// while the domain is used. Runs in the main thread.
@Command(
    name = "replace",
    description = "Loads the jars of a domain's components again, with no call that fails.",
    footer = {
      "",
      "For domains with components. Refused, and all stays as it was, if the new classes cannot",
      "take the place of the old by chapter 13 of the Java Language Specification."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:the new one answers",
      "1:it was refused, or the process did not answer within 90 s",
      "2:wrong usage, or no such domain"
    },
    mixinStandardHelpOptions = true)
final class DomainReplaceCommand implements Callable<Integer> {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);
  private static final int LOOK_MILLIS = 10;

  @Spec CommandSpec spec = CommandSpec.create();

  @Mixin DomainNamed named = new DomainNamed();

  @Override
  public Integer call() throws IOException, InterruptedException {
    DomainRow row = named.row();
    String shown = "domain " + TerminalText.line(row.name()) + " of process " + row.pid();
    Path counters = CounterFile.fileOf(named.directory(), row.pid());
    Path request = DomainCounters.request(counters, row.name(), ReplaceRequest.ASKED);
    Path answer = ReplaceRequest.answerTo(request);
    Files.deleteIfExists(answer);
    try {
      Files.createFile(request);
    } catch (FileAlreadyExistsException e) {
      throw new ParameterException(
          spec.commandLine(),
          shown + " is being replaced by another command. Fix: wait for it, or remove " + request);
    }
    String told = answer(row, request, answer);
    spec.commandLine().getOut().println(shown + " " + TerminalText.line(told));
    spec.commandLine().getOut().flush();
    return told.startsWith(ReplaceRequest.DONE) ? 0 : 1;
  }

  private static String answer(DomainRow row, Path request, Path answer)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    try {
      while (!Files.exists(answer)) {
        boolean isAlive = ProcessHandle.of(row.pid()).map(ProcessHandle::isAlive).orElse(false);
        if (!isAlive || System.nanoTime() > deadline) {
          return "was not replaced. Why: its process "
              + (isAlive ? "does not look, or runs no components" : "has ended")
              + ". Fix: restart it";
        }
        Thread.sleep(LOOK_MILLIS);
      }
      return Files.readString(answer, StandardCharsets.UTF_8);
    } finally {
      Files.deleteIfExists(request);
      Files.deleteIfExists(answer);
    }
  }
}
