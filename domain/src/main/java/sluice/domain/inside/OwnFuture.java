package sluice.domain.inside;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// A domain's view of a future that a JDK object completes on a thread of the JVM. The view is
/// completed on the domain's pool, so that dependent stages run there. Any thread may call.
public final class OwnFuture<T> extends CompletableFuture<T> {
  private final CompletableFuture<T> theirs;

  private OwnFuture(CompletableFuture<T> theirs) {
    this.theirs = theirs;
  }

  /// Returns a future that is completed by an executor when the given future is completed.
  public static <T> CompletableFuture<T> of(CompletableFuture<T> theirs, Executor executor) {
    OwnFuture<T> own = new OwnFuture<>(theirs);
    CompletableFuture<T> _ =
        theirs.whenComplete((value, problem) -> executor.execute(() -> own.end(value, problem)));
    return own;
  }

  private void end(T value, @Nullable Throwable problem) {
    if (problem == null) {
      complete(value);
    } else {
      completeExceptionally(problem);
    }
  }

  /// Also cancels the underlying future.
  @Override
  public boolean cancel(boolean mayInterrupt) {
    theirs.cancel(mayInterrupt);
    return super.cancel(mayInterrupt);
  }
}
