package sluice.host.disk;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlTable;
import sluice.fs.ext2.MountOptions;
import sluice.fs.fuse.FuseOptions;
import sluice.fs.fuse.FuseStability;
import sluice.fs.fuse.RingUse;
import sluice.host.file.TomlTables;
import sluice.host.text.ByteCount;
import sluice.host.text.ShellWord;
import sluice.loop.engine.Backend;
import sluice.loop.server.ServerConfig;
import sluice.net.transport.StackOption;
import sluice.nfs.ExportOptions;
import sluice.nfs.NfsConfig;
import sluice.nfs.Squash;

/// Reads the disks of a configuration file, each a table `[disk.NAME]`, and the network stacks that
/// their exports use, each a table `[net.NAME]`. Used by the thread that reads the file.
///
/// ```
/// [disk.data]
/// image = "data.img"                     # or directory = "data"
/// read-only = false
/// cache = "64M"
/// mount = { at = "mnt" }                 # through FUSE
/// nfs = { port = 2049, bind = ["127.0.0.1"], allow = ["10.0.0.0/8"] }
///
/// [net.lan]
/// stack = "tap:tap0,10.9.0.1/24"         # for nfs = { net = "lan" }
/// ```
public final class DiskTable {
  private static final String DISK = "disk";
  private static final String NET = "net";

  /// The tables that it reads.
  public static final Set<String> TABLES = keys(DISK, NET);

  private static final Set<String> KEYS =
      keys("image", "directory", "read-only", "cache", "mount", "nfs");
  private static final Set<String> MOUNT =
      keys("at", "trusted", "threads", "ring", "flush-on-close", "valid");
  private static final Set<String> NFS =
      keys(
          "port",
          "bind",
          "export",
          "directory",
          "allow",
          "squash",
          "anonuid",
          "anongid",
          "portmap",
          "udp",
          "net",
          "loops",
          "backend");
  private static final int LEAST_CACHE = 1 << 20;

  private final TomlTables tables;

  private DiskTable(TomlTables tables) {
    this.tables = tables;
  }

  private static Set<String> keys(String... keys) {
    return Collections.unmodifiableSet(new LinkedHashSet<>(List.of(keys)));
  }

  /// Reads the disks. What is wrong is kept in the tables.
  public static List<DiskSettings> read(TomlTables tables, TomlTable root) {
    DiskTable reader = new DiskTable(tables);
    List<DiskSettings> disks = new ArrayList<>();
    tables.take(() -> {
      TomlTable all = tables.below(root, DISK);
      if (all != null) {
        for (String name : all.keySet()) {
          tables.take(() -> disks.add(reader.disk(root, all, name)));
        }
      }
    });
    return disks;
  }

  private TomlTable named(TomlTable all, String kind, String name) {
    if (all.get(List.of(name)) instanceof TomlTable table) {
      return table;
    }
    throw tables.wrong(
        TomlTables.position(all, name), name + " is no table", "write [" + kind + "." + name + "]");
  }

  private DiskSettings disk(TomlTable root, TomlTable all, String name) {
    TomlTable table = named(all, DISK, name);
    tables.requireKeys(table, KEYS, "[disk." + name + "]");
    Path image = tables.path(table, "image");
    Path directory = tables.path(table, "directory");
    if ((image == null) == (directory == null)) {
      throw tables.wrong(
          TomlTables.begin(table),
          "[disk." + name + "] has " + (image == null ? "no image" : "an image and a directory"),
          "image = \"data.img\", or directory = \"data\"");
    }
    Path source = Objects.requireNonNull(image == null ? directory : image);
    tables.take(() -> requireThere(table, source, image == null));
    boolean readOnly = tables.flag(table, "read-only", false);
    TomlTable mount = tables.below(table, "mount");
    TomlTable nfs = tables.below(table, "nfs");
    if (mount == null && nfs == null) {
      throw tables.wrong(
          TomlTables.begin(table),
          "[disk." + name + "] is neither mounted nor exported",
          "mount = { at = \"DIR\" }, or nfs = { port = 2049 }");
    }
    DiskSettings.Mount[] mounted = new DiskSettings.Mount[1];
    DiskSettings.Export[] exported = new DiskSettings.Export[1];
    long[] cacheBytes = new long[1];
    tables.take(() -> cacheBytes[0] = cache(table));
    tables.take(() -> mounted[0] = mount == null ? null : mount(mount, source, readOnly));
    tables.take(() -> exported[0] = nfs == null ? null : export(root, nfs, readOnly));
    MountOptions options =
        MountOptions.defaults()
            .withReadOnly(readOnly)
            .withAccessTimes(!readOnly)
            .withCacheBytes(cacheBytes[0]);
    return new DiskSettings(name, source, options, mounted[0], exported[0]);
  }

  private void requireThere(TomlTable table, Path source, boolean isDirectory) {
    String key = isDirectory ? "directory" : "image";
    if (!Files.exists(source)) {
      throw tables.wrong(
          TomlTables.position(table, key),
          source + " is not there",
          isDirectory
              ? "name a directory that exists"
              : "make it: sluice fs mkfs --size 64M " + ShellWord.of(source));
    }
  }

  private long cache(TomlTable table) {
    String text = tables.string(table, "cache");
    if (text == null) {
      return MountOptions.defaults().cacheBytes();
    }
    long bytes = ByteCount.parse(text);
    if (bytes < LEAST_CACHE) {
      throw tables.wrong(
          TomlTables.position(table, "cache"),
          "cache is no number of bytes, at least 1M: " + text,
          "cache = \"64M\"");
    }
    return bytes;
  }

  private DiskSettings.Mount mount(TomlTable table, Path source, boolean readOnly) {
    tables.requireKeys(table, MOUNT, "mount");
    Path at = tables.path(table, "at");
    if (at == null || !Files.isDirectory(at)) {
      throw tables.wrong(
          TomlTables.begin(table),
          at == null ? "mount has no at" : "the mount point " + at + " is no directory",
          at == null ? "at = \"DIR\"" : "mkdir -p " + ShellWord.of(at));
    }
    String ring = tables.string(table, "ring");
    RingUse rings =
        switch (ring == null ? "auto" : ring) {
          case "auto" -> RingUse.AUTO;
          case "on" -> RingUse.ON;
          case "off" -> RingUse.OFF;
          default ->
              throw tables.wrong(
                  TomlTables.position(table, "ring"),
                  "ring is auto, on or off, not " + ring,
                  "ring = \"auto\"");
        };
    Long threads = tables.number(table, "threads");
    Long valid = tables.number(table, "valid");
    try {
      FuseOptions options =
          FuseOptions.of(source.toAbsolutePath().normalize().toString())
              .withReadOnly(readOnly)
              .withTrusted(tables.flag(table, "trusted", false))
              .withRings(rings)
              .withStability(
                  FuseStability.NONE.withFlushOnClose(tables.flag(table, "flush-on-close", false)));
      options = threads == null ? options : options.withThreads(Math.toIntExact(threads));
      options = valid == null ? options : options.withValidSeconds(valid);
      return new DiskSettings.Mount(at, options);
    } catch (TomlTables.Wrong e) {
      throw e;
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw tables.wrong(TomlTables.begin(table), e.getMessage(), "correct the value");
    }
  }

  private DiskSettings.Export export(TomlTable root, TomlTable table, boolean readOnly) {
    tables.requireKeys(table, NFS, "nfs");
    String path = tables.string(table, "export");
    if (path != null && !path.startsWith("/")) {
      throw tables.wrong(
          TomlTables.position(table, "export"), "export begins with /", "export = \"/\"");
    }
    String directory = tables.string(table, "directory");
    int port = number(table, "port", NfsConfig.PORT, 0, 65_535);
    return new DiskSettings.Export(
        path == null ? "/" : path,
        directory == null ? "/" : directory,
        options(table, readOnly),
        server(table, port),
        tables.flag(table, "udp", true),
        tables.flag(table, "portmap", true) && port != 0,
        stack(root, table));
  }

  private int number(TomlTable table, String key, int otherwise, int low, int high) {
    Long value = tables.number(table, key);
    if (value == null) {
      return otherwise;
    }
    if (value < low || value > high) {
      throw tables.wrong(
          TomlTables.position(table, key),
          key + " takes a number from " + low + " to " + high + ": " + value,
          key + " = " + otherwise);
    }
    return value.intValue();
  }

  private ExportOptions options(TomlTable table, boolean readOnly) {
    String squash = tables.string(table, "squash");
    Map<String, Squash> kinds = Map.of("root", Squash.ROOT, "all", Squash.ALL, "none", Squash.NONE);
    Squash chosen = kinds.get(squash == null ? "root" : squash);
    if (chosen == null) {
      throw tables.wrong(
          TomlTables.position(table, "squash"),
          "squash is root, all or none, not " + squash,
          "squash = \"root\"");
    }
    int uid = number(table, "anonuid", ExportOptions.ANONYMOUS, 0, Integer.MAX_VALUE);
    int gid = number(table, "anongid", ExportOptions.ANONYMOUS, 0, Integer.MAX_VALUE);
    try {
      return ExportOptions.defaults()
          .withReadOnly(readOnly)
          .withClients(tables.strings(table, "allow").toArray(String[]::new))
          .withSquash(chosen)
          .withAnonymous(uid, gid);
    } catch (TomlTables.Wrong e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw tables.wrong(
          TomlTables.position(table, "allow"), e.getMessage(), "allow = [\"10.0.0.0/8\"]");
    }
  }

  private ServerConfig server(TomlTable table, int port) {
    List<SocketAddress> addresses = new ArrayList<>();
    List<String> hosts = tables.strings(table, "bind");
    for (String host : hosts.isEmpty() ? List.of("0.0.0.0") : hosts) {
      try {
        addresses.add(new InetSocketAddress(InetAddress.getByName(host), port));
      } catch (UnknownHostException e) {
        throw tables.wrong(
            TomlTables.position(table, "bind"),
            "no address is known for " + host,
            "bind = [\"127.0.0.1\"]");
      }
    }
    int loops = number(table, "loops", 1, 1, 1024);
    String backend = tables.string(table, "backend");
    try {
      return ServerConfig.of("nfs", addresses.getFirst())
          .withLoops(loops)
          .withBackend(backend == null ? Backend.AUTO : Backend.parse(backend))
          .withAddresses(addresses);
    } catch (IllegalArgumentException e) {
      throw tables.wrong(
          TomlTables.position(table, "backend"), e.getMessage(), "backend = \"auto\"");
    }
  }

  private @Nullable StackOption stack(TomlTable root, TomlTable nfs) {
    String name = tables.string(nfs, NET);
    if (name == null) {
      return null;
    }
    TomlTable all = tables.below(root, NET);
    if (all == null || all.get(List.of(name)) == null) {
      throw tables.wrong(
          TomlTables.position(nfs, NET), "there is no [net." + name + "]", "write that table");
    }
    TomlTable table = named(all, NET, name);
    tables.requireKeys(table, keys("stack"), "[net." + name + "]");
    String text = tables.string(table, "stack");
    try {
      return StackOption.parse(text == null ? "" : text);
    } catch (IllegalArgumentException e) {
      throw tables.wrong(
          TomlTables.begin(table), e.getMessage(), "stack = \"tap:tap0,10.9.0.1/24\"");
    }
  }
}
