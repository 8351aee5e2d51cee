package sluice.host.net;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlTable;
import sluice.host.file.OptionValues;
import sluice.host.file.TomlTables;
import sluice.host.file.Values;

/// Reads the networks of a configuration file, each of which is defined by a table `[net.NAME]`.
/// Instances are confined to the thread that reads the file.
///
/// ```
/// [net.fast]
/// device = "local"                       # ring, ofi-shm, ofi-tcp, ofi-verbs, ofi-efa
///
/// [net.wire]
/// device = "ring"
/// backend = "epoll"                      # default: the best engine of the machine
///
/// [net.lan]
/// device = "xdp"                         # AF_XDP; or "tap", which works everywhere
/// interface = "eth0"
/// address = "10.0.0.2/24"
/// via = "10.0.0.1"                       # optional gateway
/// queues = 4                             # queues of the interface; default: all
///
/// [net.short]
/// stack = "tap:tap0,10.9.0.1/24"         # the same in the form of --udp-stack
/// ```
public final class NetTable {
  private static final String NET = "net";

  /// The tables that this class reads.
  public static final Set<String> TABLES = Set.of(NET);

  private final Map<String, NetSettings> nets = new LinkedHashMap<>();
  private final Map<String, String> users = new HashMap<>();

  private NetTable() {}

  /// Reads the networks. Errors are collected in the tables.
  public static NetTable read(TomlTables tables, TomlTable root) {
    NetTable read = new NetTable();
    tables.named(
        root,
        NET,
        each -> {
          Values values = tables.values(each);
          values.requireKeys(new LinkedHashSet<>(NetReader.KEYS), "[net." + each.name() + "]");
          read.nets.put(each.name(), NetReader.read(each.name(), values, ""));
        });
    return read;
  }

  /// Reads the network of a command line with the options `device` and `stack`. Errors are
  /// collected in the options.
  ///
  /// @param otherwise the device to use if none is specified
  public static NetSettings of(OptionValues options, String otherwise) {
    return NetReader.read("--device", options, otherwise);
  }

  /// Returns the networks in the order of the file.
  public Collection<NetSettings> all() {
    return List.copyOf(nets.values());
  }

  /// Returns the network with the given name, or null if there is none.
  public @Nullable NetSettings get(String name) {
    return nets.get(name);
  }

  /// Returns the name of the part that uses a network, or null if the network is not in use.
  public @Nullable String user(String name) {
    return users.get(name);
  }

  /// Returns the network that is specified by a value, and reserves it for a part because a stack
  /// cannot be shared.
  ///
  /// @param key the key of the value
  /// @param user the part that uses the network, for messages, such as `disk data`
  /// @return the network, or empty if there is no value
  /// @throws sluice.host.file.WrongValue if there is no such network or it is used by another part
  public Optional<NetSettings> used(Values values, String key, String user) {
    String name = values.string(key);
    if (name == null) {
      return Optional.empty();
    }
    NetSettings found = nets.get(name);
    if (found == null) {
      List<String> known = new ArrayList<>(nets.keySet());
      throw values.wrong(
          key,
          "there is no [net." + name + "]",
          known.isEmpty() ? "write that table" : "name " + String.join(" or ", known));
    }
    String before = users.putIfAbsent(name, user);
    if (before != null) {
      throw values.wrong(
          key,
          "[net." + name + "] is used by " + before + " already",
          "write another [net.NAME], with an address of its own");
    }
    return Optional.of(found);
  }
}
