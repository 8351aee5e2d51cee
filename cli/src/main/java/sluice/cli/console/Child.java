package sluice.cli.console;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/// A process that is not to outlive this one, nor its own children. Of the thread that started it;
/// when this process ends by a signal, a thread of the JVM's ends it.
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

  /// @param timeoutSeconds how long it may take to end once it was asked to
  Child(Process process, int timeoutSeconds) {
    this.process = process;
    this.timeoutSeconds = timeoutSeconds;
    hook = new Thread(this::endWithUs, "sluice-end-" + process.pid());
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /// Whether this process is ending, so that what fails now is no news.
  public static boolean isEnding() {
    return ENDING.get();
  }

  private void endWithUs() {
    ENDING.set(true);
    end();
  }

  /// Ends it and its children, if need be by force: itself first, since it may start another child
  /// when one ends.
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

  /// Whether it did not end when it was asked to.
  public boolean wasKilled() {
    return killed;
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
