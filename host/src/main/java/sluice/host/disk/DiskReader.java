package sluice.host.disk;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.fs.ext2.MountOptions;
import sluice.fs.fuse.FuseOptions;
import sluice.fs.fuse.FuseStability;
import sluice.fs.fuse.RingUse;
import sluice.host.file.Values;
import sluice.host.net.NetSettings;
import sluice.host.text.ByteCount;
import sluice.loop.engine.Backend;
import sluice.loop.server.ServerConfig;
import sluice.nfs.ExportOptions;
import sluice.nfs.NfsConfig;
import sluice.nfs.Squash;

/// Reads the settings of a disk from a table or a command line. Errors are collected in the values.
/// Instances are confined to the thread that reads.
final class DiskReader {
  private static final int LEAST_CACHE = 1 << 20;
  private static final int MOST_THREADS = 64;
  private static final int MOST_LOOPS = 1024;
  private static final long MOST_SECONDS = Integer.MAX_VALUE;
  private static final Map<String, RingUse> RINGS =
      Values.words("auto", RingUse.AUTO, "on", RingUse.ON, "off", RingUse.OFF);
  private static final Map<String, Squash> SQUASHES =
      Values.words("root", Squash.ROOT, "all", Squash.ALL, "none", Squash.NONE);

  /// The names of the devices that have a network stack.
  private static final Set<String> WITH_STACK = Set.of("xdp", "");

  private DiskReader() {}

  static boolean readOnly(Values values) {
    return values.take(false, () -> values.flag("read-only", false));
  }

  static MountOptions image(Values values) {
    boolean readOnly = readOnly(values);
    long cacheBytes =
        values.parsed("cache", MountOptions.defaults().cacheBytes(), "64M", DiskReader::cacheBytes);
    return MountOptions.defaults()
        .withReadOnly(readOnly)
        .withAccessTimes(!readOnly)
        .withCacheBytes(cacheBytes);
  }

  private static long cacheBytes(String text) {
    long bytes = ByteCount.parse(text);
    if (bytes < LEAST_CACHE) {
      throw new IllegalArgumentException("no number of bytes, at least 1M: " + text);
    }
    return bytes;
  }

  static DiskSettings.Mount mount(Values values, Path source, Path at, boolean readOnly) {
    FuseOptions options = FuseOptions.of(source.toAbsolutePath().normalize().toString());
    int threads = (int) values.number("threads", options.threads(), 1, MOST_THREADS);
    long valid = values.number("valid", options.validSeconds(), 0, MOST_SECONDS);
    boolean trusted = values.take(false, () -> values.flag("trusted", false));
    boolean flush = values.take(false, () -> values.flag("flush-on-close", false));
    return new DiskSettings.Mount(
        at,
        options
            .withReadOnly(readOnly)
            .withTrusted(trusted)
            .withRings(values.choice("ring", RINGS))
            .withThreads(threads)
            .withStability(FuseStability.NONE.withFlushOnClose(flush))
            .withValidSeconds(valid));
  }

  /// Reads the settings of an export.
  ///
  /// @param net the network of the export, or null for the sockets of the kernel
  /// @param netKey the key that specifies the network, for messages
  static DiskSettings.Export export(
      Values values, boolean readOnly, @Nullable NetSettings net, String netKey) {
    int port = (int) values.number("port", NfsConfig.PORT, 0, 65_535);
    boolean udp = values.take(true, () -> values.flag("udp", true));
    boolean portmap = values.take(true, () -> values.flag("portmap", true));
    if (net != null) {
      values.take(() -> requireStack(values, net, netKey, udp));
    }
    return new DiskSettings.Export(
        values.parsed("export", "/", "/", DiskReader::absolute),
        values.take("/", () -> values.has("directory") ? text(values, "directory") : "/"),
        options(values, readOnly),
        server(values, port),
        udp,
        portmap && port != 0,
        net == null ? null : net.stack());
  }

  private static String text(Values values, String key) {
    return String.valueOf(values.string(key));
  }

  private static String absolute(String path) {
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException("a path begins with /, not as " + path);
    }
    return path;
  }

  private static void requireStack(Values values, NetSettings net, String key, boolean udp) {
    if (!WITH_STACK.contains(net.device())) {
      throw values.wrong(
          key,
          "[net." + net.name() + "] is the device " + net.device() + ", which carries no UDP",
          "name one with device = \"tap\" or \"xdp\"");
    }
    boolean isOne = values.take(List.<String>of(), () -> values.strings("bind")).size() < 2;
    if (!udp || !isOne) {
      throw values.wrong(
          key,
          values.name(key) + " goes with UDP and at most one " + values.name("bind"),
          "leave " + values.name(udp ? "bind" : "udp") + " out");
    }
  }

  private static ExportOptions options(Values values, boolean readOnly) {
    int uid = (int) values.number("anonuid", ExportOptions.ANONYMOUS, 0, Integer.MAX_VALUE);
    int gid = (int) values.number("anongid", ExportOptions.ANONYMOUS, 0, Integer.MAX_VALUE);
    Squash squash = values.choice("squash", SQUASHES);
    ExportOptions options =
        ExportOptions.defaults().withReadOnly(readOnly).withSquash(squash).withAnonymous(uid, gid);
    return values.take(
        options,
        () -> {
          List<String> allowed = values.strings("allow");
          try {
            return options.withClients(allowed.toArray(String[]::new));
          } catch (IllegalArgumentException e) {
            throw values.wrong(
                "allow",
                values.name("allow") + " takes addresses and networks: " + e.getMessage(),
                values.example("allow", List.of("10.0.0.0/8")));
          }
        });
  }

  private static ServerConfig server(Values values, int port) {
    List<SocketAddress> addresses = addresses(values, port);
    int loops = (int) values.number("loops", 1, 1, MOST_LOOPS);
    Backend backend =
        values.parsed(
            "backend", Backend.AUTO, "auto", text -> Backend.parse(text.toLowerCase(Locale.ROOT)));
    return ServerConfig.of("nfs", addresses.getFirst())
        .withLoops(loops)
        .withBackend(backend)
        .withAddresses(addresses);
  }

  private static List<SocketAddress> addresses(Values values, int port) {
    List<SocketAddress> all = List.of(new InetSocketAddress("0.0.0.0", port));
    return values.take(
        all,
        () -> {
          List<SocketAddress> addresses = new ArrayList<>();
          for (String host : values.strings("bind")) {
            try {
              addresses.add(new InetSocketAddress(InetAddress.getByName(host), port));
            } catch (UnknownHostException e) {
              throw values.wrong(
                  "bind",
                  "no address is known for " + host,
                  values.example("bind", List.of("127.0.0.1")));
            }
          }
          return addresses.isEmpty() ? all : addresses;
        });
  }
}
