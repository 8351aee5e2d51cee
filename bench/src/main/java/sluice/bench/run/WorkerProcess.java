package sluice.bench.run;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Another process that measures on command: it prints `ready`, and then answers each line of its
/// input with a line that begins with `ok`, or with an error. It ends with its input. Owned by the
/// harness's main thread; closed by it or by the shutdown hook.
public final class WorkerProcess implements AutoCloseable {
  private static final int START_SECONDS = 60;
  private static final int ANSWER_SECONDS = 300;
  private static final int END_SECONDS = 20;
  private static final int SAID_LINES = 8;

  private final Process process;
  private final BufferedReader from;
  private final Writer to;
  private final Path log;

  private WorkerProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    from = process.inputReader(StandardCharsets.US_ASCII);
    to = process.outputWriter(StandardCharsets.US_ASCII);
  }

  /// Starts a process.
  ///
  /// @param log file for its output besides answers
  /// @throws IOException with the end of that log if it does not come up within a minute
  public static WorkerProcess start(List<String> command, Path log) throws IOException {
    WorkerProcess worker =
        Cleanup.open(() -> new WorkerProcess(launch(command, log.toFile()), log));
    try {
      String first = worker.line(START_SECONDS);
      if (!first.equals("ready")) {
        throw new IOException("a worker said " + first + worker.said());
      }
      return worker;
    } catch (IOException e) {
      worker.close();
      throw e;
    }
  }

  private static Process launch(List<String> command, File log) throws IOException {
    return new ProcessBuilder(command).redirectError(log).start();
  }

  /// Sends a command and returns the answer.
  ///
  /// @param command without a line's end
  /// @return the words of its answer after `ok`
  /// @throws IOException with its answer if that is an error, or there is none for five minutes
  public List<String> ask(String command) throws IOException {
    to.write(command + "\n");
    to.flush();
    String answer = line(ANSWER_SECONDS);
    if (!answer.startsWith("ok ")) {
      throw new IOException(answer + said());
    }
    return List.of(answer.substring("ok ".length()).split(" ", -1));
  }

  private String line(int seconds) throws IOException {
    CompletableFuture<String> line = CompletableFuture.supplyAsync(this::readLine);
    try {
      return line.get(seconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IOException("a worker said nothing for " + seconds + " s" + said(), e);
    } catch (ExecutionException e) {
      throw new IOException("a worker ended: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private String readLine() {
    try {
      String line = from.readLine();
      if (line == null) {
        throw new IOException("no answer" + said());
      }
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Returns the end of its log, on lines of its own.
  private String said() throws IOException {
    List<String> lines = Files.readAllLines(log);
    List<String> last = lines.subList(Math.max(0, lines.size() - SAID_LINES), lines.size());
    return last.isEmpty() ? "" : "\n" + String.join("\n", last);
  }

  /// Returns the process id of the program itself, because the commands that pin it or enter a
  /// namespace become the program.
  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /// Ends it and all its descendants: by the end of its input, else by force.
  @Override
  public void close() {
    List<ProcessHandle> below = process.descendants().toList();
    try {
      to.close();
    } catch (IOException e) {
      // it has ended
    }
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
    below.forEach(ProcessHandle::destroyForcibly);
    Cleanup.closed(this);
  }
}
