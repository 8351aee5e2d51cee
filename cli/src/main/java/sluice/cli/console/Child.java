package sluice.cli.console;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/// A child process that, including its own children, must not outlive this process. Instances are
/// confined to the thread that started the child. If this process is terminated by a signal, a
/// shutdown hook terminates the child.
public final class Child implements AutoCloseable {
  public static final int TIMEOUT_SECONDS = 60;
  private static final AtomicBoolean ENDING = new AtomicBoolean();

  private final Process process;
  private final int timeoutSeconds;
  private final Thread hook;
  private volatile boolean killed;

  public Child(Process process) {
    this(process, TIMEOUT_SECONDS);
  }

  /// Wraps the given process.
  ///
  /// @param timeoutSeconds the timeout for the process to terminate after SIGTERM
  Child(Process process, int timeoutSeconds) {
    this.process = process;
    this.timeoutSeconds = timeoutSeconds;
    hook = new Thread(this::endWithUs, "sluice-end-" + process.pid());
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /// Returns true if this process is terminating, in which case failures of children do not have to
  /// be reported.
  public static boolean isEnding() {
    return ENDING.get();
  }

  private void endWithUs() {
    ENDING.set(true);
    end();
  }

  /// Terminates the process and its children, forcibly if necessary. The process itself is
  /// terminated first, because it may restart its children.
  private void end() {
    List<ProcessHandle> all =
        Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
    all.forEach(ProcessHandle::destroy);
    boolean ended = false;
    try {
      CompletableFuture.allOf(
              all.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new))
          .get(timeoutSeconds, TimeUnit.SECONDS);
      ended = true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException late) {
      killed = true;
    }
    if (!ended) {
      all.forEach(ProcessHandle::destroyForcibly);
    }
  }

  /// Returns true if the process had to be killed.
  public boolean wasKilled() {
    return killed;
  }

  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      ENDING.set(true); // it is already running
    }
  }
}
