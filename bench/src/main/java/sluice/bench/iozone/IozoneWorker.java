package sluice.bench.iozone;

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
import sluice.bench.run.Cleanup;

/// A process with one file system, which measures when it is told to. Used by the harness's main
/// thread.
final class IozoneWorker implements AutoCloseable {
  private static final int START_SECONDS = 60;
  private static final int ANSWER_SECONDS = 300;
  private static final int END_SECONDS = 20;

  private final Process process;
  private final BufferedReader from;
  private final Writer to;
  private final Path log;

  private IozoneWorker(Process process, Path log) {
    this.process = process;
    this.log = log;
    from = process.inputReader(StandardCharsets.US_ASCII);
    to = process.outputWriter(StandardCharsets.US_ASCII);
  }

  /// @param log file for what it prints besides answers
  /// @throws IOException with the end of that log when it does not come up
  static IozoneWorker start(List<String> command, Path log) throws IOException {
    IozoneWorker worker = Cleanup.open(() -> new IozoneWorker(launch(command, log.toFile()), log));
    try {
      String first = worker.line(START_SECONDS);
      if (!first.equals("ready")) {
        throw new IOException("a worker said " + first);
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

  /// @throws IOException with what the worker says
  IozonePasses.Cost measure(IozoneCase one, boolean slices, long millis) throws IOException {
    to.write(
        "%s %d %d %d %d"
            .formatted(
                one.operation().word(),
                one.fileBytes(),
                one.recordBytes(),
                millis,
                one.sync() ? 1 : 0));
    to.write(slices ? " 1\n" : "\n");
    to.flush();
    String answer = line(ANSWER_SECONDS);
    if (!answer.startsWith("ok ")) {
      throw new IOException(answer);
    }
    String[] words = answer.split(" ", -1);
    return new IozonePasses.Cost(Double.parseDouble(words[1]), Double.parseDouble(words[2]));
  }

  private String line(int seconds) throws IOException {
    CompletableFuture<String> line = CompletableFuture.supplyAsync(this::readLine);
    try {
      return line.get(seconds, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IOException("a worker said nothing for " + seconds + " s", e);
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
        List<String> said = Files.readAllLines(log);
        throw new IOException(
            String.join("\n", said.subList(Math.max(0, said.size() - 8), said.size())));
      }
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /// Ends it and all below it: by the end of its input, else by force.
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
