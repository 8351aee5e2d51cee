package sluice.domain.inside;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// A future that an object of the JDK completes on a thread of the JVM, as a domain gets it: it is
/// completed on the domain's pool, so that what depends on it runs there. Any thread may call.
public final class OwnFuture<T> extends CompletableFuture<T> {
  private final CompletableFuture<T> theirs;

  private OwnFuture(CompletableFuture<T> theirs) {
    this.theirs = theirs;
  }

  /// Has what is completed elsewhere completed by an executor.
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

  /// Cancels what it stands for too.
  @Override
  public boolean cancel(boolean mayInterrupt) {
    theirs.cancel(mayInterrupt);
    return super.cancel(mayInterrupt);
  }
}
