package sluice.bench.isocket;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.bench.isocket.EchoCase.Place;
import sluice.bench.packets.VethPair;
import sluice.bench.run.Harness;
import sluice.bench.run.WorkerProcess;

/// The client and the servers at one location. A server that is not being measured waits for input.
/// Owned by the harness's main thread, which closes it: then the processes end, and the veth pair
/// with them.
final class EchoPlace implements AutoCloseable {
  private static final List<String> JVM =
      List.of(
          System.getProperty("java.home") + "/bin/java",
          "-XX:+UseSerialGC",
          "-Xms256m",
          "-Xmx256m",
          "--enable-native-access=ALL-UNNAMED",
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "-cp");

  /// A server, and the address it listens on.
  record Peer(WorkerProcess process, String at) {}

  private final Harness harness;
  private final Place place;
  private final @Nullable VethPair veth;
  private final List<WorkerProcess> servers = new ArrayList<>();
  private final WorkerProcess client;

  private EchoPlace(Harness harness, Place place, @Nullable VethPair veth) throws IOException {
    this.harness = harness;
    this.place = place;
    this.veth = veth;
    List<String> words = List.of(EchoClientMain.class.getName());
    client =
        launch(
            "client", harness.options().clientCpu(), veth == null ? "" : veth.clientPid(), words);
  }

  /// Starts the client at a location.
  ///
  /// @throws IOException if the location is not available, with the reason and a fix
  static EchoPlace open(Harness harness, Place place) throws IOException {
    if (harness.options().serverCpu() == harness.options().clientCpu()) {
      throw new IOException("both ends on one core measure the scheduler. Fix: --cpus A,B");
    }
    if (place == Place.LOOPBACK) {
      return new EchoPlace(harness, place, null);
    }
    if (!System.getProperty("user.name").equals("root")) {
      throw new IOException("a veth pair needs root. Fix: run it as root, in a container too");
    }
    VethPair veth = VethPair.open();
    try {
      return new EchoPlace(harness, place, veth);
    } catch (IOException e) {
      veth.close();
      throw e;
    }
  }

  Peer start(String system) throws IOException {
    String host = veth == null ? "127.0.0.1" : VethPair.SERVER_ADDRESS;
    WorkerProcess server =
        launch(
            system.replace('/', '-') + servers.size(),
            harness.options().serverCpu(),
            veth == null ? "" : veth.serverPid(),
            List.of(EchoServerMain.class.getName(), system, host));
    servers.add(server);
    return new Peer(server, host + " " + server.ask("port").getFirst());
  }

  private WorkerProcess launch(String name, int cpu, String namespace, List<String> words)
      throws IOException {
    List<String> command = new ArrayList<>();
    if (!namespace.isEmpty()) {
      command.addAll(List.of("nsenter", "-n", "-t", namespace));
    }
    command.addAll(List.of("taskset", "-c", Integer.toString(cpu)));
    command.addAll(JVM);
    command.add(harness.workspace().classPath(false));
    command.addAll(words);
    String log = "isocket-" + place + "-" + name + ".log";
    return WorkerProcess.start(command, harness.workspace().temporary(log));
  }

  /// Returns the metrics of one window; the processor time is that of the server's whole process.
  Map<String, Double> measure(Peer peer, EchoCase one, double seconds) throws IOException {
    String command =
        "%s %s %d %d"
            .formatted(
                one.stream() ? "stream" : "trip",
                peer.at,
                one.bytes(),
                Math.max(1, Math.round(seconds * 1e3)));
    double before = Double.parseDouble(peer.process.ask("cpu").getFirst());
    List<String> words = new ArrayList<>(client.ask(command));
    double used = Double.parseDouble(peer.process.ask("cpu").getFirst()) - before;
    Map<String, Double> metrics = new LinkedHashMap<>();
    for (String word : words) {
      int equals = word.indexOf('=');
      metrics.put(word.substring(0, equals), Double.valueOf(word.substring(equals + 1)));
    }
    Double messages = metrics.remove("messages");
    if (messages != null) {
      metrics.put("cpu_ns_per_req", used / messages);
    }
    return metrics;
  }

  @Override
  public void close() {
    client.close();
    servers.forEach(WorkerProcess::close);
    if (veth != null) {
      veth.close();
    }
  }
}
