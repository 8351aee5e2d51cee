package sluice.bench;

import java.io.IOException;
import java.util.List;
import sluice.loop.Connection;
import sluice.loop.Protocol;
import sluice.loop.engine.Backend;
import sluice.loop.server.Server;
import sluice.loop.server.ServerConfig;
import sluice.memory.View;

/// Sluice's echo server: one loop that sends received bytes from the receive buffer. Its protocol
/// runs on the loop's thread; the main thread only waits.
final class EchoServer {
  private EchoServer() {}

  /// Runs the server. Arguments: `--port N --backend io_uring|epoll|poll|jdk`.
  public static void main(String[] args) throws IOException, InterruptedException {
    List<String> arguments = List.of(args);
    int port = Integer.parseInt(value(arguments, "--port"));
    ServerConfig config =
        ServerConfig.onLoopback("echo", port)
            .withBackend(Backend.parse(value(arguments, "--backend")));
    try (Server server = Server.start(config, _ -> new Echo())) {
      System.out.println("echo on port " + server.port() + ": " + server.engine());
      server.awaitEnd();
    }
  }

  private static String value(List<String> arguments, String option) {
    int at = arguments.indexOf(option);
    if (at < 0 || at + 1 == arguments.size()) {
      throw new IllegalArgumentException(option + " is missing");
    }
    return arguments.get(at + 1);
  }

  private static final class Echo implements Protocol {
    @Override
    public int received(Connection connection, View input) {
      connection.output().append(input, 0, input.length());
      return input.length();
    }
  }
}
