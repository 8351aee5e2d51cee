package sluice.cli;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// A process that is not to outlive this one, nor its own children. Of the thread that started it;
/// when this process ends by a signal, a thread of the JVM's ends it.
final class Child implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 60;
  private static final AtomicBoolean ENDING = new AtomicBoolean();

  private final Process process;
  private final Thread hook;

  Child(Process process) {
    this.process = process;
    hook = new Thread(this::endWithUs, "sluice-end-" + process.pid());
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /// Whether this process is ending, so that what fails now is no news.
  static boolean isEnding() {
    return ENDING.get();
  }

  private void endWithUs() {
    ENDING.set(true);
    end();
  }

  /// Ends it and its children, if need be by force.
  private void end() {
    List<ProcessHandle> below = process.descendants().toList();
    process.destroy();
    below.forEach(ProcessHandle::destroy);
    boolean ended = false;
    try {
      ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!ended) {
      process.destroyForcibly();
    }
  }

  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      ENDING.set(true); // it runs already
    }
  }
}
