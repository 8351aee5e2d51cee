package sluice.vi.device;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Waits for an answer from a device's thread. Any other thread may call. Stateless.
public final class Answers {
  private static final long ANSWER_SECONDS = 20;

  private Answers() {}

  /// Waits for an operation that the device's thread performs immediately.
  ///
  /// @param what the name of the thread for messages, such as "the loop"
  /// @throws DeviceException if the thread answers with an exception or does not answer in time
  public static <T> T await(CompletableFuture<T> future, String what) throws DeviceException {
    try {
      return future.get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw DeviceException.rethrown(e);
    } catch (TimeoutException e) {
      throw new DeviceException(Fault.OTHER, what + " did not answer in time", e);
    } catch (InterruptedException e) {
      throw DeviceException.interrupted("waiting for " + what, e);
    }
  }
}
