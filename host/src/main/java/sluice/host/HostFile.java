package sluice.host;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlTable;
import sluice.domain.component.ComponentRefused;
import sluice.host.disk.Disk;
import sluice.host.disk.DiskSettings;
import sluice.host.disk.DiskTable;
import sluice.host.domain.DomainFile;
import sluice.host.domain.Domains;
import sluice.host.file.TomlTables;
import sluice.host.file.UsageException;
import sluice.host.net.NetSettings;
import sluice.host.net.NetTable;
import sluice.host.site.SiteFile;
import sluice.host.site.SiteOptions;
import sluice.http.HttpConfig;

/// A configuration file that defines the sites, domains, disks and networks of a process. Instances
/// are immutable.
///
/// ```
/// [site]                                 # as in a file of sluice serve
/// directory = "public"
/// [site.server]
/// port = 8080
/// [[site.plugin]]
/// path = "/api"
/// jar = "api.jar"
///
/// [domain.worker]                        # as in a file of sluice domain run
/// jars = ["worker.jar"]
///
/// [disk.data]
/// image = "data.img"
/// nfs = { bind = ["127.0.0.1"], net = "lan" }
///
/// [net.lan]                              # for exports and Virtual Interfaces
/// device = "tap"
/// interface = "tap0"
/// address = "10.9.0.1/24"
/// ```
///
/// A file without `[site]` may have the keys of the site at its top level. Therefore every
/// configuration file of `sluice serve` and of `sluice domain run` is also a valid file of this
/// kind.
public final class HostFile {
  private static final String SITE = "site";

  private final Path path;
  private final @Nullable SiteOptions site;
  private final DomainFile.Content domains;
  private final List<DiskSettings> disks;
  private final NetTable nets;

  private HostFile(
      Path path,
      @Nullable SiteOptions site,
      DomainFile.Content domains,
      List<DiskSettings> disks,
      NetTable nets) {
    this.path = path;
    this.site = site;
    this.domains = domains;
    this.disks = List.copyOf(disks);
    this.nets = nets;
  }

  /// Reads a file.
  ///
  /// @throws UsageException with all errors in the file, each on one line with file, line, reason
  ///   and fix
  public static HostFile read(Path path) throws UsageException {
    HostFile[] read = new HostFile[1];
    TomlTables.read(path, (tables, root) -> read[0] = read(path, tables, root));
    return read[0];
  }

  private static HostFile read(Path path, TomlTables tables, TomlTable root) {
    Set<String> known = new LinkedHashSet<>(List.of(SITE));
    known.addAll(DomainFile.TABLES);
    known.addAll(DiskTable.TABLES);
    known.addAll(NetTable.TABLES);
    Set<String> above = new LinkedHashSet<>(SiteFile.TOP);
    above.retainAll(root.keySet());
    boolean isAbove = !root.contains(List.of(SITE));
    if (isAbove) {
      known.addAll(SiteFile.TOP);
    }
    tables.requireKeys(root, known, "the file");
    SiteOptions[] site = new SiteOptions[1];
    tables.take(() -> {
      TomlTable table = isAbove ? root : tables.below(root, SITE);
      if (table != null && (!isAbove || !above.isEmpty())) {
        site[0] = new SiteOptions();
        if (!isAbove) {
          tables.requireKeys(table, SiteFile.TOP, "[site]");
        }
        SiteFile.read(tables, table, site[0]);
      }
    });
    DomainFile.Content domains = DomainFile.read(tables, root);
    NetTable nets = NetTable.read(tables, root);
    List<DiskSettings> disks = DiskTable.read(tables, root, nets);
    if (root.isEmpty()) {
      tables.take(() -> {
        throw tables.wrong(
            null,
            "it names nothing that runs",
            "write [site], [domain.NAME], [disk.NAME] or [net.NAME]");
      });
    }
    return new HostFile(path, site[0], domains, disks, nets);
  }

  /// Returns the settings of the sites, or null if the file does not define a site.
  public @Nullable SiteOptions site() {
    return site;
  }

  /// Returns the network of a table `[net.NAME]`.
  ///
  /// @throws UsageException if there is no such table
  public NetSettings net(String name) throws UsageException {
    NetSettings found = nets.get(name);
    if (found == null) {
      List<String> known = nets.all().stream().map(NetSettings::name).toList();
      throw new UsageException(
          path
              + ": there is no [net."
              + name
              + "]. Fix: "
              + (known.isEmpty() ? "write that table" : "name " + String.join(" or ", known)));
    }
    return found;
  }

  /// Reads a file and returns one of its networks.
  ///
  /// @param words `FILE#NAME`, the value of the option `--net`
  /// @throws UsageException if the value or the file is not valid, or the network does not exist
  public static NetSettings netOf(String words) throws UsageException {
    int sign = words.lastIndexOf('#');
    if (sign <= 0 || sign == words.length() - 1) {
      throw new UsageException("--net takes FILE#NAME, not " + words + ". Fix: --net all.toml#lan");
    }
    return read(Path.of(words.substring(0, sign))).net(words.substring(sign + 1));
  }

  /// Performs all checks of a start without starting anything.
  ///
  /// @return a line for each part that would run
  /// @throws UsageException if the file is not valid, with file, line, reason and fix
  /// @throws IOException if a resource cannot be used, with file, line, reason and fix
  public List<String> explain() throws UsageException, IOException {
    List<String> lines = new ArrayList<>();
    for (NetSettings net : nets.all()) {
      String user = nets.user(net.name());
      lines.add(
          "net "
              + net.name()
              + " is "
              + net.describe()
              + (user == null
                  ? ", for VIs: sluice vi --net " + path + "#" + net.name()
                  : ", of " + user));
    }
    for (DiskSettings disk : disks) {
      if (disk.mount() != null) {
        lines.add("disk " + disk.source() + " is mounted at " + disk.mount().directory());
      }
      if (disk.export() != null) {
        lines.add(
            "disk "
                + disk.source()
                + " is exported over NFS as "
                + disk.export().path()
                + " on "
                + disk.export().server().addresses()
                + (disk.export().stack() == null ? "" : ", UDP by " + disk.export().stack()));
      }
    }
    for (DomainFile.Entry domain : domains.domains()) {
      lines.add(
          "domain "
              + domain.config().name()
              + (domain.components().isEmpty()
                  ? " runs " + domain.config().classPath()
                  : " runs components " + String.join(", ", domain.components())));
    }
    SiteOptions sites = site;
    if (sites != null) {
      HttpConfig config = sites.check();
      lines.add(SiteServer.sites(config) + " on " + config.server().addresses());
      sites.plugins().each((prefix, jar) -> lines.add("plug-in " + prefix + " of " + jar));
    }
    return lines;
  }

  /// Returns warnings about suspicious settings, each with the line and a fix.
  public List<String> warnings() {
    return site == null ? List.of() : site.warnings();
  }

  /// Starts all parts that are configured in the file. The disks are started first, followed by the
  /// domains and the sites. If a part cannot be started, all parts that are already running are
  /// stopped.
  ///
  /// @param messages a consumer that receives one line per event and may be invoked by any thread
  /// @throws UsageException if settings contradict each other
  /// @throws IOException if a part cannot start, with reason and fix
  public Host start(Consumer<String> messages)
      throws UsageException, IOException, ComponentRefused, InterruptedException {
    Host host = new Host(List.of(), messages);
    boolean isStarted = false;
    try {
      startIn(host);
      isStarted = true;
    } finally {
      if (!isStarted) {
        host.close();
      }
    }
    return host;
  }

  /// Starts all parts that are configured in the file and adds them to the given host, which may
  /// already handle signals. If a part cannot be started, the parts that are already running are
  /// not stopped until the host is closed.
  ///
  /// @throws UsageException if settings contradict each other
  /// @throws IOException if a part cannot start, with reason and fix
  public void startIn(Host host)
      throws UsageException, IOException, ComponentRefused, InterruptedException {
    Consumer<String> messages = host.messages();
    if (site == null && domains.domains().isEmpty() && disks.isEmpty()) {
      throw new UsageException(
          path
              + " names networks, and nothing that runs. Fix: write [site], [domain.NAME] or"
              + " [disk.NAME]; sluice vi --net FILE#NAME uses a network");
    }
    SiteOptions sites = site;
    if (sites != null) {
      host.drainWithin(sites.drainTimeout());
    }
    PrintWriter lines = new PrintWriter(new LineWriter(messages), true);
    for (DiskSettings disk : disks) {
      host.start("disk " + disk.name(), () -> Disk.start(disk, lines));
    }
    if (!domains.domains().isEmpty()) {
      host.start("domains", () -> Domains.start(domains, messages));
    }
    if (sites != null) {
      host.start(
          "site",
          () -> {
            SiteServer server = SiteServer.start(sites, host.manager().listeners(), messages);
            server.configuredBy(() -> read(path).requireSite());
            return server;
          });
    }
  }

  private SiteOptions requireSite() throws UsageException {
    if (site == null) {
      throw new UsageException(path + " has no site any more. Fix: put it back, or start anew");
    }
    return site;
  }
}
