package sluice.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import sluice.http.HttpServer;
import sluice.loop.Counters;

/// The run from which the launcher records the start-up cache: a short life of `sluice serve` with
/// real requests, so that the JVM sees the classes a start needs. The main thread runs it.
final class Training {
  /// Enough for the interpreter's counters to name the hot methods.
  private static final int REQUESTS = 400;

  private static final int PATIENCE_MILLIS = 5_000;

  private Training() {}

  /// Serves, asks, stops.
  ///
  /// @param args the directory to serve
  public static void main(String[] args) throws Exception {
    Main.run("serve", "--help");
    ServeOptions options = ServeOptions.parse(List.of(args[0], "--port", "0"));
    HttpServer server = Serve.start(options, List.of(), System.err);
    ServiceManager manager =
        new ServiceManager(System.getenv(), ProcessHandle.current().pid(), System.err::println);
    Lifecycle life = new Lifecycle(server, manager, Duration.ofSeconds(1), System.err::println);
    life.listenToSignals();
    Serve.announce(server, System.out);
    Counters counters = Serve.count(server, options.directory(), System.err);
    for (int i = 0; i < REQUESTS; i++) {
      ask(server.server().port(), i % 4 == 0 ? "/style.css" : "/");
    }
    life.terminate();
    counters.close();
  }

  private static void ask(int port, String path) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      OutputStream out = socket.getOutputStream();
      String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      out.write(request.getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      if (!new String(in.readAllBytes(), StandardCharsets.US_ASCII).startsWith("HTTP/1.1 200")) {
        throw new IOException("no page at " + path);
      }
    }
  }
}
