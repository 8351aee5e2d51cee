package sluice.bench.iozone;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import sluice.bench.run.WorkerProcess;

/// A process with one file system, which measures on command. Used by the harness's main thread.
final class IozoneWorker implements AutoCloseable {
  private final WorkerProcess process;

  private IozoneWorker(WorkerProcess process) {
    this.process = process;
  }

  /// Starts a worker.
  ///
  /// @param log file for its output besides answers
  /// @throws IOException with the end of that log if it does not come up
  static IozoneWorker start(List<String> command, Path log) throws IOException {
    return new IozoneWorker(WorkerProcess.start(command, log));
  }

  /// Measures a case.
  ///
  /// @throws IOException with the worker's error
  IozonePasses.Cost measure(IozoneCase one, boolean slices, long millis) throws IOException {
    List<String> answer =
        process.ask(
            "%s %d %d %d %d%s"
                .formatted(
                    one.operation().word(),
                    one.fileBytes(),
                    one.recordBytes(),
                    millis,
                    one.sync() ? 1 : 0,
                    slices ? " 1" : ""));
    return new IozonePasses.Cost(
        Double.parseDouble(answer.get(0)), Double.parseDouble(answer.get(1)));
  }

  boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public void close() {
    process.close();
  }
}
