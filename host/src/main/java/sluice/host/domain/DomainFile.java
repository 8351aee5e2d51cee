package sluice.host.domain;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;
import sluice.domain.Budget;
import sluice.domain.DomainConfig;
import sluice.domain.Scheduling;
import sluice.domain.component.Component;
import sluice.domain.component.Placement;
import sluice.domain.component.Provided;
import sluice.domain.portal.CallPath;
import sluice.host.file.TomlTables;
import sluice.host.file.UsageException;
import sluice.host.file.WrongValue;

/// Reads the configuration file of `sluice domain run`, which is a TOML file with a table for each
/// domain and each component. Instances are confined to the main thread. Each error message
/// contains the file, the line and a fix.
///
/// ```
/// [domain.shop]
/// jars = ["shop.jar", "lib/prices.jar"]   # beside this file
/// main = "demo.Main"                      # default: from the manifest of the first jar
/// args = ["one", "two"]
/// budget = { cpu = "20%", alloc = "50MB/s", threads = 8 }
/// properties = { "shop.currency" = "EUR" }
/// scheduling = "cooperative"              # one thread at a time; default: "preemptive"
/// cpus = [0, 2]                           # processors of its virtual threads; default: all
/// scheduler = "shop.Deadlines"            # the class that schedules these threads
///
/// [component.till]                        # components, instead of jars in domains
/// jars = ["till.jar"]
/// depends = ["api"]                       # components whose classes it uses
/// needs = ["shop.Prices"]                 # services: the parameters of its constructor
/// provides = "till.Till"                  # the service that its object implements
/// class = "till.PlainTill"
/// path = "service"                        # or "direct"; or "fast", with a verified bound
/// calls = 16                              # concurrent calls of path "service"; default: 1
/// scheduling = "preemptive"               # required of its domain; default: any
///
/// [domain.front]
/// components = ["till"]
/// ```
public final class DomainFile {
  private static final String DOMAIN = "domain";
  private static final String COMPONENT = "component";

  /// The tables that this class reads.
  public static final Set<String> TABLES = keys(DOMAIN, COMPONENT);

  private static final Set<String> KEYS =
      keys(
          "jars",
          "main",
          "args",
          "budget",
          "properties",
          "components",
          "scheduling",
          "cpus",
          "scheduler");
  private static final Set<String> COMPONENT_KEYS =
      keys("jars", "depends", "needs", "provides", "class", "path", "calls", "scheduling");

  private static final Map<String, CallPath> PATHS =
      Arrays.stream(CallPath.values())
          .collect(
              Collectors.toMap(DomainFile::path, each -> each, (a, b) -> a, LinkedHashMap::new));

  private static final Map<String, Scheduling.Kind> KINDS =
      Arrays.stream(Scheduling.Kind.values())
          .collect(
              Collectors.toMap(
                  Scheduling.Kind::label, each -> each, (a, b) -> a, LinkedHashMap::new));

  private final TomlTables tables;

  private DomainFile(TomlTables tables) {
    this.tables = tables;
  }

  private static Set<String> keys(String... keys) {
    return Collections.unmodifiableSet(new LinkedHashSet<>(List.of(keys)));
  }

  /// A domain to run.
  ///
  /// @param config the configuration of the domain
  /// @param main the main class, or null for the main class in the manifest of the first jar
  /// @param arguments the arguments of the main method
  /// @param components the components of the domain if it does not have any jars
  public record Entry(
      DomainConfig config,
      @Nullable String main,
      List<String> arguments,
      List<String> components) {}

  /// The content of a file, which consists either of domains with jars and no components, or of
  /// components and the domains that contain them.
  public record Content(List<Entry> domains, List<Component> components) {
    List<Placement> placements() {
      return domains.stream()
          .map(entry -> new Placement(entry.config(), entry.components()))
          .toList();
    }
  }

  /// Reads a file that contains only domains and components, and at least one domain.
  ///
  /// @throws UsageException if the file cannot be read or is not valid; the message contains all
  ///   errors
  public static Content read(Path file) throws UsageException {
    Content[] read = new Content[1];
    TomlTables.read(
        file,
        (tables, root) -> {
          tables.requireKeys(root, TABLES, "the file");
          read[0] = read(tables, root);
          if (read[0].domains().isEmpty() && tables.isGood()) {
            tables.take(() -> {
              throw tables.wrong(null, "it has no domain", "write [domain.NAME]");
            });
          }
        });
    return read[0];
  }

  /// Reads the domains and components of a table. Errors are collected in the tables.
  public static Content read(TomlTables tables, TomlTable root) {
    return new DomainFile(tables).content(root);
  }

  private Content content(TomlTable root) {
    List<Component> components = new ArrayList<>();
    tables.named(root, COMPONENT, each -> components.add(component(each)));
    List<Entry> entries = new ArrayList<>();
    boolean ofComponents = root.contains(List.of(COMPONENT));
    tables.named(root, DOMAIN, each -> entries.add(entry(each, ofComponents)));
    return new Content(entries, components);
  }

  private Component component(TomlTables.Named each) {
    String name = each.name();
    TomlTable table = each.table();
    TomlPosition at = each.at();
    tables.requireKeys(table, COMPONENT_KEYS, "component " + name);
    try {
      return new Component(
          name,
          jars(at, table, "component " + name),
          tables.strings(table, "depends"),
          tables.strings(table, "needs"),
          provided(at, name, table),
          tables.string(table, "class"),
          kind(table));
    } catch (WrongValue e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw tables.wrong(at, e.getMessage(), "correct the table");
    }
  }

  private @Nullable Provided provided(@Nullable TomlPosition at, String name, TomlTable table) {
    String type = tables.string(table, "provides");
    String text = tables.string(table, "path");
    Long calls = tables.number(table, "calls");
    if (calls != null && (calls < 1 || calls > Provided.MOST_CALLS)) {
      throw tables.wrong(
          TomlTables.position(table, "calls"),
          "calls takes a number from 1 to " + Provided.MOST_CALLS + ": " + calls,
          "calls = 16");
    }
    if (type == null) {
      if (text != null || calls != null) {
        throw tables.wrong(
            at,
            "component " + name + " provides nothing that could have a path or calls",
            "add provides, or leave them out");
      }
      return null;
    }
    CallPath path = text == null ? CallPath.SERVICE : PATHS.get(text);
    if (path == null) {
      throw tables.wrong(
          TomlTables.position(table, "path"),
          "path \"" + text + "\" is none of " + String.join(", ", PATHS.keySet()),
          "path = \"service\"");
    }
    return new Provided(type, path, calls == null ? 1 : calls.intValue());
  }

  /// Returns the scheduling that is specified in a table, or null if there is none.
  private Scheduling.@Nullable Kind kind(TomlTable table) {
    String text = tables.string(table, "scheduling");
    Scheduling.Kind kind = text == null ? null : KINDS.get(text);
    if (text != null && kind == null) {
      throw tables.wrong(
          TomlTables.position(table, "scheduling"),
          "scheduling \"" + text + "\" is none of " + String.join(", ", KINDS.keySet()),
          "scheduling = \"preemptive\"");
    }
    return kind;
  }

  private Scheduling scheduling(TomlTable domain) {
    Scheduling.Kind kind = kind(domain);
    Set<Integer> cpus = new LinkedHashSet<>();
    for (Long each : tables.numbers(domain, "cpus")) {
      if (each < 0 || each > Integer.MAX_VALUE) {
        throw tables.wrong(
            TomlTables.position(domain, "cpus"),
            "cpus takes numbers of processors, from 0: " + each,
            "cpus = [0, 1]");
      }
      cpus.add(each.intValue());
    }
    return new Scheduling(
        kind == null ? Scheduling.Kind.PREEMPTIVE : kind, cpus, tables.string(domain, "scheduler"));
  }

  /// Returns the name of a call path as it is written in the file.
  public static String path(CallPath path) {
    return path.name().toLowerCase(Locale.ROOT);
  }

  private List<Path> jars(@Nullable TomlPosition at, TomlTable table, String what) {
    List<Path> jars = tables.paths(table, "jars");
    if (jars.isEmpty()) {
      throw tables.wrong(at, what + " has no jars", "add jars = [\"app.jar\"]");
    }
    return jars;
  }

  private Entry entry(TomlTables.Named each, boolean ofComponents) {
    String name = each.name();
    TomlTable domain = each.table();
    TomlPosition at = each.at();
    tables.requireKeys(domain, KEYS, "domain " + name);
    List<String> components = tables.strings(domain, "components");
    List<Path> jars = List.of();
    if (!ofComponents) {
      jars = jars(at, domain, "domain " + name);
    } else if (components.isEmpty()
        || domain.keySet().stream().anyMatch(Set.of("jars", "main", "args")::contains)) {
      throw tables.wrong(
          at,
          "domain " + name + " has no components or more than those, in a file of components",
          "write components = [\"NAME\"] instead of jars, main and args");
    }
    try {
      DomainConfig config =
          DomainConfig.of(name, jars.toArray(new Path[0]))
              .withBudget(budget(domain))
              .withProperties(properties(domain))
              .withScheduling(scheduling(domain))
              .withCache(ClassDirectory.find());
      return new Entry(
          config, tables.string(domain, "main"), tables.strings(domain, "args"), components);
    } catch (WrongValue e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw tables.wrong(at, e.getMessage(), "rename the table");
    }
  }

  private Budget budget(TomlTable domain) {
    Map<String, Object> parts = tables.table(domain, "budget");
    if (parts.isEmpty() || !(domain.get(List.of("budget")) instanceof TomlTable table)) {
      return Budget.DEFAULT;
    }
    List<String> text = new ArrayList<>();
    parts.forEach((key, value) -> {
      String part = key + "=" + value;
      try {
        Budget.parse(part);
      } catch (IllegalArgumentException e) {
        throw tables.wrong(
            TomlTables.position(table, key),
            "budget " + part + " is not understood",
            "cpu = \"20%\", alloc = \"50MB/s\", threads = 16, sockets = 8, memory = \"16MB\","
                + " weight = 3");
      }
      text.add(part);
    });
    return Budget.parse(String.join(",", text));
  }

  private Map<String, String> properties(TomlTable domain) {
    Map<String, String> properties = new HashMap<>();
    tables
        .table(domain, "properties")
        .forEach((key, value) -> properties.put(key, value.toString()));
    return properties;
  }
}
