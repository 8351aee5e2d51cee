package sluice.testbase;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.StringTokenizer;
import java.util.concurrent.ThreadLocalRandom;

/// A TCP port for a server of another process, which cannot be told to take any. For all threads.
public final class FreePort {
  private FreePort() {}

  /// A free port, below those that the kernel gives to programs that ask for any: so no connection
  /// of another program gets it before the server does, nor between two starts of the server.
  ///
  /// @return 1 to 65535; another process that looks for one in the same way may take it meanwhile
  /// @throws IOException when the kernel does not tell its range, or refuses sockets
  public static int find() throws IOException {
    // By lines: a file of sysctl gives its value to the first read only.
    String range = Files.readAllLines(Path.of("/proc/sys/net/ipv4/ip_local_port_range")).getFirst();
    int given = Integer.parseInt(new StringTokenizer(range).nextToken());
    int first = Math.min(10_000, given - 1_000);
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(first, given);
      try (ServerSocket socket = new ServerSocket(port)) {
        return socket.getLocalPort();
      } catch (BindException taken) {
        Thread.onSpinWait(); // the next one
      }
    }
  }
}
