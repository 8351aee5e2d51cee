package sluice.loop.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// Starts one loop in two steps: its engine is opened, and then it listens. The loop's thread
/// reports each step to the thread that starts the server, which waits for it.
final class LoopStart {
  private final String name;
  private final int index;
  private final CompletableFuture<Boolean> opened = new CompletableFuture<>();
  private final CompletableFuture<List<SocketAddress>> wanted = new CompletableFuture<>();
  private final CompletableFuture<List<SocketAddress>> bound = new CompletableFuture<>();

  LoopStart(String name, int index) {
    this.name = name;
    this.index = index;
  }

  String name() {
    return name;
  }

  int index() {
    return index;
  }

  // ---- for the thread that starts the server ------------------------------------------------

  void awaitOpened() throws IOException {
    await(opened);
  }

  /// Allows the loop to listen, and waits until it does.
  ///
  /// @return the addresses for the next loop
  List<SocketAddress> listen(List<SocketAddress> addresses) throws IOException {
    wanted.complete(addresses);
    return await(bound);
  }

  /// Terminates a thread that is waiting for its addresses, because the server is not going to
  /// start.
  void giveUp() {
    wanted.cancel(false);
  }

  private <T> T await(CompletableFuture<T> step) throws IOException {
    try {
      return step.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      }
      if (e.getCause() instanceof UncheckedIOException unchecked) {
        throw unchecked.getCause();
      }
      throw new IOException(name + " did not start: " + e.getCause(), e.getCause());
    }
  }

  // ---- for the loop's thread ----------------------------------------------------------------

  void notOpened(Throwable reason) {
    opened.completeExceptionally(reason);
  }

  /// Reports that the engine is open, and waits until all engines are open.
  ///
  /// @return the addresses to listen on
  /// @throws java.util.concurrent.CancellationException if the server is not going to start
  List<SocketAddress> opened() {
    opened.complete(true);
    return wanted.join();
  }

  void listening(List<SocketAddress> addresses) {
    bound.complete(addresses);
  }

  /// Reports that the loop has failed.
  ///
  /// @return false if the loop was already listening
  boolean failed(Throwable reason) {
    return bound.completeExceptionally(reason);
  }
}
