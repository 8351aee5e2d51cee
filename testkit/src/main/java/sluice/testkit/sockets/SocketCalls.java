package sluice.testkit.sockets;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import sluice.testbase.Await;

/// Calls that may block, each in a thread of its own, and how they end. Any thread.
public final class SocketCalls {
  private SocketCalls() {}

  /// What a thread does in a socket, to be waited for.
  public interface Action<T> {
    /// The call.
    T run() throws Exception;
  }

  /// Runs the action in a platform thread that does not keep the JVM.
  public static <T> CompletableFuture<T> start(Action<T> action) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            result.complete(action.run());
          } catch (Throwable e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }

  /// What the call returned; waits for [Await#SECONDS] at most.
  public static <T> T get(CompletableFuture<T> result) throws Exception {
    return result.get(Await.SECONDS, TimeUnit.SECONDS);
  }

  /// What the call threw.
  public static Throwable failure(CompletableFuture<?> result) {
    try {
      result.get(Await.SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return Objects.requireNonNull(e.getCause());
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("it did not fail");
  }
}
