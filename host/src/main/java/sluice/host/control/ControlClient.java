package sluice.host.control;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Sends control requests to the process of another command. This class is stateless.
public final class ControlClient {
  private ControlClient() {}

  /// Returns true if the given process accepts control requests.
  public static boolean isListening(Path directory, long pid) {
    return Files.exists(ControlWire.socketOf(directory, pid));
  }

  /// Sends a request and waits for the answer.
  ///
  /// @param directory the directory of the counters files
  /// @param pid the ID of the process
  /// @param verb the name of the request
  /// @param argument the argument, which may be any text
  /// @param patience the timeout for the answer
  /// @throws IOException if the process does not answer; the message contains the reason and a fix
  public static ControlAnswer ask(
      Path directory, long pid, String verb, String argument, Duration patience)
      throws IOException, InterruptedException {
    FutureTask<ControlAnswer> asking =
        new FutureTask<>(() -> exchange(ControlWire.socketOf(directory, pid), verb, argument));
    Thread.ofVirtual().start(asking);
    try {
      return asking.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new IOException(
          "process "
              + pid
              + " did not answer within "
              + patience.toSeconds()
              + " s. Fix: look at"
              + " its log, or restart it");
    } catch (ExecutionException e) {
      String why = e.getCause() instanceof IOException io ? io.getMessage() : "" + e.getCause();
      throw new IOException(
          "process "
              + pid
              + " does not answer. Why: "
              + why
              + ". Fix: ask as its user or root, with --dir if it has another SLUICE_RUN_DIR;"
              + " restart it",
          e.getCause());
    } finally {
      asking.cancel(true); // closes the socket
    }
  }

  private static ControlAnswer exchange(Path socket, String verb, String argument)
      throws IOException {
    if (!Files.exists(socket)) {
      throw new IOException("there is no " + socket + ": it has ended, or serves nothing");
    }
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      ControlWire.send(channel, ControlWire.request(verb, argument));
      return ControlWire.receiveAnswer(channel);
    }
  }
}
