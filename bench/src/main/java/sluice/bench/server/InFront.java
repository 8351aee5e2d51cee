package sluice.bench.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;

/// Starts a proxy in front of the server of this process. The proxy is a child process, so it
/// shares the core and the control group, and ends with the server. A separate thread waits for the
/// server.
final class InFront {
  private static final long STEP_MILLIS = 20;

  private InFront() {}

  /// Starts a command as soon as a port of this machine accepts connections.
  static void startWhenAnswered(int port, List<String> command) {
    Thread.ofPlatform().daemon().name("in-front").start(() -> start(port, command));
  }

  private static void start(int port, List<String> command) {
    try {
      while (!answers(port)) {
        Thread.sleep(STEP_MILLIS);
      }
      new ProcessBuilder(command).inheritIO().start();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean answers(int port) {
    try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
