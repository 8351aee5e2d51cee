package sluice.bench.packets;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import sluice.bench.run.Cleanup;
import sluice.bench.run.Commands;

/// Two network namespaces with a veth pair between them, each kept alive by an idle process. Used
/// by the harness's main thread; processes in them end when they are closed.
///
/// ```
///  server's namespace                client's namespace
///            xsA ═══════ veth ═══════ xsB
///  10.11.0.1 the kernel's            10.11.0.2 the kernel's
/// ```
public final class VethPair implements AutoCloseable {
  /// The kernel's address at the server's end.
  public static final String SERVER_ADDRESS = "10.11.0.1";

  public static final String SERVER_LINK = "xsA";

  public static final String CLIENT_LINK = "xsB";

  private static final int TRIES = 500;
  private static final int SECONDS = 10;

  private final Process server;
  private final Process client;

  private VethPair(Process server, Process client) {
    this.server = server;
    this.client = client;
  }

  /// Creates the namespaces and the veth pair.
  ///
  /// @throws IOException if that fails, for example if the user is not root
  public static VethPair open() throws IOException {
    VethPair made =
        Cleanup.open(() ->
            new VethPair(
                new ProcessBuilder("unshare", "-n", "cat").start(),
                new ProcessBuilder("unshare", "-n", "cat").start()));
    try {
      awaitNamespace(made.server);
      awaitNamespace(made.client);
      connect(made.serverPid(), made.clientPid());
      return made;
    } catch (IOException e) {
      made.close();
      throw e;
    }
  }

  /// Waits until unshare(1) has left the harness's namespace.
  private static void awaitNamespace(Process process) throws IOException {
    Path own = Files.readSymbolicLink(Path.of("/proc/self/ns/net"));
    Path namespace = Path.of("/proc", Long.toString(process.pid()), "ns/net");
    for (int i = 0; process.isAlive() && i < TRIES; i++) {
      if (!Files.readSymbolicLink(namespace).equals(own)) {
        return;
      }
      Commands.sleepMillis(SECONDS);
    }
    throw new IOException("no network namespace: unshare -n. Fix: run it as root");
  }

  /// Returns a process in the server's namespace, for nsenter(1).
  public String serverPid() {
    return Long.toString(server.pid());
  }

  /// Returns a process in the client's namespace.
  public String clientPid() {
    return Long.toString(client.pid());
  }

  /// Creates a veth pair between the namespaces of two processes.
  static void connect(String server, String client) throws IOException {
    in(
        server,
        "ip link add "
            + SERVER_LINK
            + " numrxqueues 1 numtxqueues 1 type veth peer name "
            + CLIENT_LINK
            + " numrxqueues 1 numtxqueues 1 netns "
            + client);
    in(server, "ip addr add " + SERVER_ADDRESS + "/24 dev " + SERVER_LINK);
    in(client, "ip addr add 10.11.0.2/24 dev " + CLIENT_LINK);
    in(server, "ip link set " + SERVER_LINK + " up");
    in(client, "ip link set " + CLIENT_LINK + " up");
  }

  private static void in(String pid, String command) throws IOException {
    String all = "nsenter -n -t " + pid + " " + command;
    String _ = Commands.run(SECONDS, java.util.List.of(all.split(" ", -1)));
  }

  @Override
  public void close() {
    server.destroyForcibly();
    client.destroyForcibly();
    Cleanup.closed(this);
  }
}
