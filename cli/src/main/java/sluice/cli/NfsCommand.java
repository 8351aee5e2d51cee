package sluice.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.cli.console.GivenOptions;
import sluice.cli.console.OptionGroups;
import sluice.cli.console.Version;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.host.Host;
import sluice.host.disk.Disk;
import sluice.host.disk.DiskSettings;
import sluice.host.disk.DiskTable;
import sluice.host.file.OptionValues;
import sluice.host.file.UsageException;
import sluice.host.text.ShellWord;
import sluice.nfs.ExportOptions;
import sluice.nfs.NfsConfig;
import sluice.nfs.Squash;
import sluice.nfs.server.NfsServer;

/// Implements the command `sluice nfs`, which exports an image over NFS until it is stopped by a
/// signal. The main thread waits while the loops serve requests. The options correspond to the keys
/// of a table `[disk.NAME]` and are read in the same way.
@Command(
    name = "nfs",
    description = {
      "Exports an ext2 image, or a directory of this machine, over NFS; MOUNT and a portmapper are"
          + " on the same port, TCP and UDP.",
      "Ctrl-C or SIGTERM answers what is under way, writes everything and leaves the image clean."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    versionProvider = Version.class)
final class NfsCommand implements Callable<Integer> {
  private static final String VERSION_3 =
      "vers=3,nolock,tcp,port=%1$d,mountport=%1$d,mountproto=tcp";

  private static final int DRAIN_SECONDS = 30;
  private static final int MOST_DRAIN_SECONDS = 86_400;

  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "IMAGE|DIR",
      description = "Image file or block device ('sluice fs mkfs' makes one), or a directory.")
  Path source = Path.of("");

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Port of NFS, MOUNT and portmapper (default: ${DEFAULT-VALUE}); 0: any.")
  int port = NfsConfig.PORT;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "Address to listen on, more than once for several; all of IPv4 if not given.")
  List<String> hosts = List.of();

  @Option(
      names = "--export",
      paramLabel = "PATH",
      description = "What clients mount (default: ${DEFAULT-VALUE}).")
  String path = "/";

  @Option(
      names = "--directory",
      paramLabel = "PATH",
      description = "Directory in it that is exported (default: all of it).")
  String directory = "/";

  @Option(
      names = "--read-only",
      description = "Changes nothing; a log that a crash left is read, not replayed.")
  boolean readOnly;

  @Option(
      names = "--allow",
      split = ",",
      paramLabel = "CIDR",
      description = "Clients that may mount, such as 10.0.0.0/8 or ::1; all if not given.")
  List<String> allowed = List.of();

  @Option(
      names = "--squash",
      paramLabel = "root|all|none",
      description = "Whose ids are not believed (default: root).")
  String squash = "root";

  @Option(
      names = "--anonuid",
      paramLabel = "UID",
      description = "User for clients whose ids are not believed (default: ${DEFAULT-VALUE}).")
  int anonymousUid = ExportOptions.ANONYMOUS;

  @Option(
      names = "--anongid",
      paramLabel = "GID",
      description = "Group for clients whose ids are not believed (default: ${DEFAULT-VALUE}).")
  int anonymousGid = ExportOptions.ANONYMOUS;

  @Option(names = "--no-portmap", description = "Not on port 111, even where it is to be had.")
  boolean noPortmap;

  @Option(names = "--no-udp", description = "TCP only.")
  boolean noUdp;

  @Option(
      names = "--udp-stack",
      paramLabel = "STACK",
      description = {
        "UDP by a network stack in this process, instead of the kernel's: tap:NAME,ADDRESS/PREFIX",
        "or xdp:INTERFACE,ADDRESS/PREFIX, then ,via=GATEWAY and ,queues=N if wanted."
      })
  @Nullable String udpStack;

  @Option(
      names = "--net",
      paramLabel = "FILE#NAME",
      description = "The same, as [net.NAME] of a file of 'sluice up' says it.")
  @Nullable String net;

  @Option(
      names = "--cache",
      paramLabel = "BYTES",
      description = "Memory for blocks of the image, such as 256M (default: 64M).")
  @Nullable String cache;

  @Option(
      names = "--loops",
      paramLabel = "N",
      description = "Event loops (default: ${DEFAULT-VALUE}).")
  int loops = 1;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description = "auto, io_uring, epoll, poll or jdk, which has no UDP.")
  String backend = "auto";

  @Option(
      names = "--drain-timeout",
      paramLabel = "SECONDS",
      description = "How long calls may take to be answered at the end (default: 30).")
  int drainSeconds = DRAIN_SECONDS;

  static CommandLine line() {
    return new OptionGroups()
        .group(
            "The ten most used",
            "--port",
            "--bind",
            "--export",
            "--directory",
            "--read-only",
            "--allow",
            "--squash",
            "--cache",
            "--loops",
            "--no-portmap")
        .group("Ids of clients that are not believed", "--anonuid", "--anongid")
        .group("Network", "--no-udp", "--udp-stack", "--net", "--backend")
        .group("The end", "--drain-timeout")
        .applyTo(new CommandLine(new NfsCommand()));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    DiskSettings settings;
    int drain;
    try {
      OptionValues given = GivenOptions.of(spec);
      drain = (int) given.number("drain-timeout", DRAIN_SECONDS, 0, MOST_DRAIN_SECONDS);
      settings = DiskTable.exported(source, given, GivenOptions.net(given, ""));
    } catch (UsageException e) {
      throw GivenOptions.wrong(spec, e);
    }
    PrintWriter err = spec.commandLine().getErr();
    Disk disk = Disk.start(settings, err);
    int status;
    try (Host host = new Host(List.of(disk), line -> err.println("sluice: " + line))) {
      host.drainWithin(Duration.ofSeconds(drain));
      host.listenToSignals(Host.Hangup.ENDS);
      DiskSettings.Export export = Objects.requireNonNull(settings.export());
      announce(Objects.requireNonNull(disk.server()), disk, surprises(disk.tree(), export));
      host.publish(disk.describe());
      status = host.awaitEnd() ? 0 : 1;
    }
    if (!disk.leftAs().isEmpty()) {
      err.println("sluice: " + disk.leftAs());
    }
    return status;
  }

  /// Returns notes about defaults that may be unexpected for a new user. The list is empty if there
  /// are no such defaults.
  private List<String> surprises(FileTree tree, DiskSettings.Export export) throws IOException {
    List<String> notes = new ArrayList<>();
    boolean isOpen = hosts.isEmpty() || hosts.contains("0.0.0.0") || hosts.contains("::");
    if (isOpen && allowed.isEmpty()) {
      notes.add(
          "any machine that reaches this one may mount it; Fix: --allow 10.0.0.0/8, or --bind"
              + " 127.0.0.1");
    }
    notes.addAll(userThatCannotWrite(tree, export.options()));
    return notes;
  }

  /// Returns a note if squashing prevents a client's root from writing to a new image, or an empty
  /// list otherwise.
  private List<String> userThatCannotWrite(FileTree tree, ExportOptions options)
      throws IOException {
    FileAttributes top = tree.attributes(tree.rootInode());
    boolean closed = top.uid() == 0 && (top.mode() & 2) == 0;
    if (readOnly || !closed || options.squash() != Squash.ROOT || !directory.equals("/")) {
      return List.of();
    }
    return List.of(
        "only root may write in the exported directory, and clients' root is taken for user "
            + anonymousUid
            + "; Fix: --squash none where you trust the clients, or give the directory to another"
            + " user");
  }

  private void announce(NfsServer server, Disk disk, List<String> notes) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "exporting %s as %s%s on %s, TCP%s (backend: %s; %s)%n",
        source,
        path,
        readOnly ? " read-only" : "",
        String.join(", ", addresses(server)),
        server.datagrams() ? " and UDP" + byStack(disk) : "",
        server.server().engine().backend(),
        server.server().engine().why().replaceAll("\\s*\\R\\s*", ". "));
    out.printf("mount it with: %s%n", mountCommand(server, "vers=4.1,port=%1$d"));
    out.printf("or, by NFSv3 and without locks: %s%n", mountCommand(server, VERSION_3));
    server.remarks().forEach(remark -> out.println("note: " + remark));
    notes.forEach(note -> out.println("note: " + note));
    out.flush();
  }

  private static String byStack(Disk disk) {
    return disk.stack() == null ? "" : " by " + disk.stack().describe();
  }

  private static List<String> addresses(NfsServer server) {
    List<String> texts = new ArrayList<>();
    for (SocketAddress address : server.server().addresses()) {
      texts.add(address instanceof InetSocketAddress inet ? text(inet) : address.toString());
    }
    return texts;
  }

  private static String text(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  private String mountCommand(NfsServer server, String options) {
    String host = "localhost";
    if (!hosts.isEmpty()) {
      host = hosts.getFirst().contains(":") ? "[" + hosts.getFirst() + "]" : hosts.getFirst();
    }
    return "mount -t nfs -o "
        + options.formatted(server.port())
        + " "
        + ShellWord.of(host + ":" + path)
        + " /mnt";
  }
}
