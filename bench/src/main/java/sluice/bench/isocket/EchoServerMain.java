package sluice.bench.isocket;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executor;
import sluice.isocket.IServerSocket;
import sluice.isocket.ISocket;
import sluice.isocket.ISocketLoop;
import sluice.loop.Framing;
import sluice.loop.Interruptlet;
import sluice.memory.View;
import sluice.memory.WritableView;

/// A server process of `bench isocket`: it echoes, with a thread for each connection, or with an
/// interruptlet. Arguments: the system and the address. Commands on standard input, one per line:
/// `port`, and `cpu` for the processor time of the process in nanoseconds.
final class EchoServerMain {
  static final String INTERRUPTLET = "sluice/interruptlet";
  static final String FAST = "sluice/read-fast";
  static final String STREAMS = "sluice/isocket";
  static final String ON_LOOP = "sluice/on-loop-thread";
  static final String JDK = "jdk/socket";

  private static final int BUFFER_BYTES = 64 << 10;

  private EchoServerMain() {}

  public static void main(String[] arguments) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err);
    try (ServerSocket server = open(arguments[0])) {
      server.bind(new InetSocketAddress(InetAddress.getByName(arguments[1]), 0));
      Executor threads = threads(arguments[0]);
      threads.execute(() -> accept(server, threads, arguments[0].equals(FAST)));
      answers.println("ready");
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        answers.println(
            switch (line) {
              case "port" -> "ok " + server.getLocalPort();
              case "cpu" -> "ok " + cpuNanos();
              default -> "error no command " + line;
            });
      }
    }
    System.exit(0);
  }

  private static long cpuNanos() throws IOException {
    if (ManagementFactory.getOperatingSystemMXBean()
        instanceof com.sun.management.OperatingSystemMXBean system) {
      return system.getProcessCpuTime();
    }
    throw new IOException("this JVM does not tell its processor time");
  }

  private static ServerSocket open(String system) throws IOException {
    if (system.equals(JDK)) {
      return new ServerSocket();
    }
    IServerSocket server = new IServerSocket();
    if (system.equals(INTERRUPTLET)) {
      server.admit(
          "echo",
          Framing.NONE,
          () ->
              (message, reply) -> {
                reply.append(message, 0, message.length());
                return Interruptlet.DONE;
              },
          Duration.ofSeconds(1),
          new byte[] {1});
    }
    return server;
  }

  /// Returns the executor for the threads of a system.
  ///
  /// @throws IOException if the loop cannot carry threads, because the row would then measure
  ///   another system
  private static Executor threads(String system) throws IOException {
    if (!system.equals(ON_LOOP)) {
      return task -> Thread.ofPlatform().daemon().start(task);
    }
    if (!ISocketLoop.shared().threads().carriedByLoop()) {
      throw new IOException("this JVM does not let the loop carry virtual threads");
    }
    return ISocketLoop.shared().threads();
  }

  private static void accept(ServerSocket server, Executor threads, boolean fast) {
    try {
      while (true) {
        Socket socket = server.accept();
        socket.setTcpNoDelay(true);
        threads.execute(() -> serve(socket, fast));
      }
    } catch (IOException e) {
      System.err.println("no more clients: " + e);
    }
  }

  private static void serve(Socket socket, boolean fast) {
    try (socket) {
      if (fast && socket instanceof ISocket ours) {
        echoFast(ours);
      } else {
        echo(socket);
      }
    } catch (IOException e) {
      System.err.println("a connection ended: " + e);
    }
  }

  private static void echo(Socket socket) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    InputStream in = socket.getInputStream();
    OutputStream out = socket.getOutputStream();
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      out.write(buffer, 0, n);
    }
  }

  /// Waits with an ordinary read for the first byte, as a protocol with a header does. The bytes
  /// that arrived with it are read in place and copied once, into the output.
  private static void echoFast(ISocket socket) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    InputStream in = socket.getInputStream();
    OutputStream out = socket.getOutputStream();
    for (int first = in.read(); first >= 0; first = in.read()) {
      buffer[0] = (byte) first;
      View came = socket.readFast();
      if (came == null) {
        int more = Math.min(in.available(), buffer.length - 1);
        int n = more == 0 ? 0 : Math.max(0, in.read(buffer, 1, more));
        out.write(buffer, 0, 1 + n);
        continue;
      }
      int length = came.length();
      WritableView reply = 1 + length <= BUFFER_BYTES ? socket.writeFast(1 + length) : null;
      if (reply == null) {
        out.write(buffer, 0, 1);
        for (int at = 0; at < length; at += BUFFER_BYTES) {
          int part = Math.min(BUFFER_BYTES, length - at);
          came.copyTo(at, buffer, 0, part);
          out.write(buffer, 0, part);
        }
        continue;
      }
      reply.set(0, buffer[0]);
      reply.copyFrom(came, 0, 1, length);
      socket.handOver(1 + length);
    }
  }
}
