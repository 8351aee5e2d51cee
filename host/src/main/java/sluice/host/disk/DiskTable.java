package sluice.host.disk;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlTable;
import sluice.host.file.OptionValues;
import sluice.host.file.TomlTables;
import sluice.host.file.UsageException;
import sluice.host.file.Values;
import sluice.host.net.NetSettings;
import sluice.host.net.NetTable;
import sluice.host.text.ShellWord;

/// Reads the disks of a configuration file, each of which is defined by a table `[disk.NAME]`. It
/// also reads the disks of commands whose options are a short form of such a table. Instances are
/// confined to the thread that reads.
///
/// ```
/// [disk.data]
/// image = "data.img"                     # or directory = "data"
/// read-only = false
/// cache = "64M"
/// mount = { at = "mnt" }                 # through FUSE
/// nfs = { port = 2049, bind = ["127.0.0.1"], allow = ["10.0.0.0/8"], net = "lan" }
/// ```
public final class DiskTable {
  private static final String DISK = "disk";
  private static final String NET = "net";

  /// The tables that this class reads.
  public static final Set<String> TABLES = Set.of(DISK);

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
  private final TomlTables tables;
  private final NetTable nets;

  private DiskTable(TomlTables tables, NetTable nets) {
    this.tables = tables;
    this.nets = nets;
  }

  private static Set<String> keys(String... keys) {
    return Collections.unmodifiableSet(new LinkedHashSet<>(List.of(keys)));
  }

  /// Reads the disks. Errors are collected in the tables.
  ///
  /// @param nets the networks that are defined in the file
  public static List<DiskSettings> read(TomlTables tables, TomlTable root, NetTable nets) {
    DiskTable reader = new DiskTable(tables, nets);
    List<DiskSettings> disks = new ArrayList<>();
    tables.named(root, DISK, each -> disks.add(reader.disk(each)));
    return disks;
  }

  /// Reads an exported disk from the options of a command, which are a short form of `[disk.nfs]`.
  ///
  /// @param net the network that is specified by the options, or null for the sockets of the kernel
  /// @throws UsageException with all errors
  public static DiskSettings exported(Path source, OptionValues options, @Nullable NetSettings net)
      throws UsageException {
    String key = options.has("stack") ? "stack" : NET;
    DiskSettings settings =
        new DiskSettings(
            "nfs",
            source,
            DiskReader.image(options),
            null,
            DiskReader.export(options, DiskReader.readOnly(options), net, key));
    options.requireGood();
    return settings;
  }

  /// Reads a mounted disk from the options of a command, which are a short form of `[disk.mount]`.
  ///
  /// @throws UsageException with all errors
  public static DiskSettings mounted(Path source, Path at, OptionValues options)
      throws UsageException {
    DiskSettings settings =
        new DiskSettings(
            "mount",
            source,
            DiskReader.image(options),
            DiskReader.mount(options, source, at, DiskReader.readOnly(options)),
            null);
    options.requireGood();
    return settings;
  }

  private DiskSettings disk(TomlTables.Named each) {
    String name = each.name();
    Values values = tables.values(each);
    values.requireKeys(KEYS, "[disk." + name + "]");
    Path source = source(name, values);
    boolean readOnly = DiskReader.readOnly(values);
    Values mount = tables.values(each.table(), "mount");
    Values nfs = tables.values(each.table(), "nfs");
    if (mount == null && nfs == null) {
      throw values.wrong(
          "",
          "[disk." + name + "] is neither mounted nor exported",
          "mount = { at = \"DIR\" }, or nfs = { port = 2049 }");
    }
    return new DiskSettings(
        name,
        source,
        DiskReader.image(values),
        mount == null ? null : mount(mount, source, readOnly),
        nfs == null ? null : export(name, nfs, readOnly));
  }

  private static Path source(String name, Values values) {
    Path image = values.path("image");
    Path directory = values.path("directory");
    if ((image == null) == (directory == null)) {
      throw values.wrong(
          "",
          "[disk." + name + "] has " + (image == null ? "no image" : "an image and a directory"),
          "image = \"data.img\", or directory = \"data\"");
    }
    Path source = Objects.requireNonNull(image == null ? directory : image);
    values.take(() -> {
      if (!Files.exists(source)) {
        throw values.wrong(
            image == null ? "directory" : "image",
            source + " is not there",
            image == null
                ? "name a directory that exists"
                : "make it: sluice fs mkfs --size 64M " + ShellWord.of(source));
      }
    });
    return source;
  }

  private static DiskSettings.Mount mount(Values values, Path source, boolean readOnly) {
    values.requireKeys(MOUNT, "mount");
    Path at =
        values.take(
            Path.of(""),
            () -> {
              Path named = values.path("at");
              if (named == null) {
                throw values.wrong("at", "mount has no at", "at = \"DIR\"");
              }
              MountPoint.Problem problem = new MountPoint(named).problem();
              if (problem != null) {
                throw values.wrong("at", problem.why(), problem.fix());
              }
              return named;
            });
    return DiskReader.mount(values, source, at, readOnly);
  }

  private DiskSettings.Export export(String disk, Values values, boolean readOnly) {
    values.requireKeys(NFS, "nfs");
    NetSettings net = values.takeOrNull(() -> nets.used(values, NET, "disk " + disk));
    return DiskReader.export(values, readOnly, net, NET);
  }
}
