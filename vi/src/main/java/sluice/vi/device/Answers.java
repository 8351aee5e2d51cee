package sluice.vi.device;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Waits for what the thread of a device does. Any thread but that one may call. Stateless.
public final class Answers {
  private static final long ANSWER_SECONDS = 20;

  private Answers() {}

  /// Waits for what the device's thread does at once.
  ///
  /// @param what for messages, such as "the loop"
  /// @throws IOException as the thread answered, or when it does not in time
  public static <T> T await(CompletableFuture<T> future, String what) throws IOException {
    try {
      return future.get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      Throwable why = e.getCause() == null ? e : e.getCause();
      throw new IOException(why.getMessage(), why);
    } catch (TimeoutException e) {
      throw new IOException(what + " did not answer in time", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for " + what, e);
    }
  }
}
