package sluice.testkit.sockets;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import sluice.testbase.Await;

/// Runs calls that may block, each in a thread of its own, and returns their outcomes. Any thread
/// may call.
public final class SocketCalls {
  private SocketCalls() {}

  /// A blocking call on a socket.
  public interface Action<T> {
    /// Makes the call.
    T run() throws Exception;
  }

  /// Runs the action in a daemon platform thread.
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

  /// Returns the result of the call; waits for [Await#SECONDS] at most.
  public static <T> T get(CompletableFuture<T> result) throws Exception {
    return result.get(Await.SECONDS, TimeUnit.SECONDS);
  }

  /// Returns the exception of the call; waits for [Await#SECONDS] at most.
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
