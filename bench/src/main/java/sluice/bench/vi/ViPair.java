package sluice.bench.vi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import sluice.bench.cases.WarmUp;
import sluice.bench.packets.VethPair;
import sluice.bench.run.Harness;
import sluice.bench.run.WorkerProcess;
import sluice.testbase.FreePort;

/// The two processes of a system, on two processors. Used by the harness's main thread.
final class ViPair implements AutoCloseable {
  private static final List<String> JVM =
      List.of(
          System.getProperty("java.home") + "/bin/java",
          "-XX:+UseSerialGC",
          "-Xmx256m",
          "-XX:+UseCountedLoopSafepoints",
          "-XX:LoopStripMiningIter=1000",
          "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "-Dagrona.disable.bounds.checks=true",
          "-Daeron.pre.touch.mapped.memory=true",
          "-cp");

  /// The addresses of Sluice's stacks at both ends of a veth pair, besides those of the kernel.
  private static final String SERVER_STACK = "10.11.0.11";

  private static final String CLIENT_STACK = "10.11.0.12";

  private final @Nullable VethPair veth;
  private final @Nullable WorkerProcess server;
  private final WorkerProcess client;

  private ViPair(@Nullable VethPair veth, @Nullable WorkerProcess server, WorkerProcess client) {
    this.veth = veth;
    this.server = server;
    this.client = client;
  }

  /// Starts the processes.
  ///
  /// @param number a different one for each pair
  /// @throws IOException if an end does not start, with its output
  static ViPair start(Harness harness, String system, int number) throws IOException {
    int serverCpu = harness.options().serverCpu();
    int clientCpu = harness.options().clientCpu();
    if (serverCpu == clientCpu) {
      throw new IOException("both ends on one processor measure the scheduler. Fix: --cpus A,B");
    }
    boolean apart = system.equals(ViCase.XDP) || system.endsWith(ViCase.VETH);
    VethPair veth = apart ? VethPair.open() : null;
    String place = place(harness, system, number);
    WorkerProcess server = null;
    try {
      if (!isAlone(system)) {
        String room = veth == null ? null : veth.serverPid();
        server = start(harness, system, "server", place, serverCpu, room);
      }
      String room = veth == null ? null : veth.clientPid();
      return new ViPair(veth, server, start(harness, system, "client", place, clientCpu, room));
    } catch (IOException e) {
      if (server != null) {
        server.close();
      }
      if (veth != null) {
        veth.close();
      }
      throw e;
    }
  }

  private static boolean isAlone(String system) {
    return List.of(ViCase.COPY, ViCase.C_MLOCK, ViCase.C_BUFFERS).contains(system);
  }

  private static String place(Harness harness, String system, int number) throws IOException {
    if (system.startsWith(ViCase.C)) {
      return harness.workspace().temporary("vi" + number).toString();
    }
    if (system.startsWith(ViCase.AERON)) {
      Path shared = Path.of("/dev/shm");
      String folder = "sluice-bench-" + ProcessHandle.current().pid() + "-" + number;
      return (Files.isWritable(shared)
              ? shared.resolve(folder)
              : harness.workspace().temporary(folder))
          + ","
          + freeDatagramPort()
          + ","
          + freeDatagramPort();
    }
    if (system.equals(ViCase.XDP)) {
      return SERVER_STACK + ":" + freeDatagramPort();
    }
    return system.startsWith(ViCase.RING)
        ? (system.endsWith(ViCase.VETH) ? VethPair.SERVER_ADDRESS : "127.0.0.1")
            + ":"
            + FreePort.find()
        : "bench-" + ProcessHandle.current().pid() + "-" + number;
  }

  private static int freeDatagramPort() throws IOException {
    try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /// @param room a process in the namespace of this end, or null
  private static WorkerProcess start(
      Harness harness, String system, String role, String place, int cpu, @Nullable String room)
      throws IOException {
    List<String> command = new ArrayList<>();
    if (room != null) {
      command.addAll(List.of("nsenter", "-n", "-t", room));
    }
    command.addAll(List.of("taskset", "-c", Integer.toString(cpu)));
    switch (system) {
      case ViCase.C_SHM,
          ViCase.C_SHM + ViCase.THREADS,
          ViCase.C_TCP,
          ViCase.C_TCP + ViCase.THREADS -> {
        command.add(harness.workspace().viFabricPeer().toString());
        String provider = system.startsWith(ViCase.C_SHM) ? "shm" : "tcp";
        boolean threads = system.endsWith(ViCase.THREADS);
        command.addAll(List.of(role, threads ? provider + ",threads" : provider, place));
      }
      case ViCase.C_UNIX, ViCase.C_SOCKET -> {
        command.add(harness.workspace().viSocketPeer().toString());
        command.addAll(List.of(role, system.equals(ViCase.C_UNIX) ? "unix" : "socket", place));
      }
      case ViCase.C_LINE -> {
        command.add(harness.workspace().viLinePeer().toString());
        command.addAll(List.of(role, "line", place));
      }
      case ViCase.C_MLOCK, ViCase.C_BUFFERS -> {
        command.add(harness.workspace().viPinning().toString());
        command.add(system.equals(ViCase.C_MLOCK) ? "mlock" : "io_uring");
      }
      default -> {
        command.addAll(JVM);
        command.add(harness.workspace().classPath(false));
        if (system.equals(ViCase.XDP)) {
          String stack =
              role.equals("server")
                  ? VethPair.SERVER_LINK + "," + SERVER_STACK
                  : VethPair.CLIENT_LINK + "," + CLIENT_STACK;
          command.add("-Dsluice.vi.xdp=xdp:" + stack + "/24");
        }
        command.addAll(List.of(ViMain.class.getName(), role, system, place));
      }
    }
    String log = "vi-" + system.replaceAll("[/ ]", "-") + "-" + role + ".log";
    return WorkerProcess.start(command, harness.workspace().temporary(log));
  }

  /// Returns the metrics of one window of an exchange.
  Map<String, Double> measure(ViCase exchange, double seconds) throws IOException {
    String command = exchange.kind() + " " + exchange.bytes() + " " + Math.round(seconds * 1e3);
    WorkerProcess other = server;
    CompletableFuture<List<String>> served =
        other == null
            ? CompletableFuture.completedFuture(List.of())
            : CompletableFuture.supplyAsync(() -> ask(other, command));
    List<String> words = client.ask(command);
    try {
      List<String> _ = served.join();
    } catch (CompletionException e) {
      throw new IOException("the server: " + e.getMessage(), e);
    }
    Map<String, Double> metrics = new LinkedHashMap<>();
    for (String word : words) {
      int equals = word.indexOf('=');
      metrics.put(word.substring(0, equals), Double.valueOf(word.substring(equals + 1)));
    }
    return metrics;
  }

  /// Returns the processor time of the compilers at both ends since they started; 0 in C.
  long compilerNanos() throws IOException {
    long ofServer = server == null ? 0 : WarmUp.compilerNanos(server.pid());
    return ofServer + WarmUp.compilerNanos(client.pid());
  }

  private static List<String> ask(WorkerProcess process, String command) {
    try {
      return process.ask(command);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    client.close();
    if (server != null) {
      server.close();
    }
    if (veth != null) {
      veth.close();
    }
  }
}
