package sluice.host.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;
import sluice.host.file.TomlTables;
import sluice.host.file.UsageException;
import sluice.http.VirtualHost;
import sluice.http.rules.AccessRule;
import sluice.loop.tls.TlsPair;

/// The TOML configuration file of `sluice serve`. Instances are confined to the thread that reads
/// the file. Each error message contains the file, the line, the reason and a fix. All keys are
/// described in `docs/site.md`.
///
/// ```
/// directory = "public"                 # the site for all names; its other keys follow
/// [server]                             # the options of `sluice serve`
/// port = 8443
/// [tls]
/// certificate = "c.pem"
/// key = "k.pem"
/// [[header]]
/// path = "/*"
/// set = { X-Content-Type-Options = "nosniff" }
/// [[host]]                             # a separate site for some names
/// names = ["example.com"]
/// directory = "example"
/// [[host.redirect]]
/// from = "/old/*"
/// to = "/new/*"
/// ```
public final class SiteFile {
  private static final List<String> NUMBERS =
      List.of(
          "port",
          "loops",
          "max-connections",
          "cache-mb",
          "metrics-port",
          "header-timeout",
          "idle-timeout",
          "send-timeout",
          "drain-timeout",
          "plugin-timeout",
          "connections-per-address",
          "requests-per-address",
          "burst-per-address");

  private static final List<String> TEXTS = List.of("host", "backend", "handlers", "log-format");
  private static final List<String> FLAGS = List.of("revalidate", "demo");
  private static final Set<String> SERVER = new LinkedHashSet<>();

  /// The keys of a table that defines sites.
  public static final Set<String> TOP = new LinkedHashSet<>(SiteTable.KEYS);

  private static final Set<String> HOST = new LinkedHashSet<>();
  private static final String FIX = ". Fix: ";
  private static final Set<String> TLS = SiteTable.keys("certificate", "key", "redirect-port");
  private static final Set<String> PLUGIN =
      SiteTable.keys("path", "jar", "budget", "calls", "waiting", "restart");

  static {
    SERVER.addAll(NUMBERS);
    SERVER.addAll(TEXTS);
    SERVER.addAll(FLAGS);
    SERVER.addAll(List.of("access-log", "proxy-protocol"));
    TOP.addAll(List.of("server", "tls", "plugin", "host"));
    HOST.addAll(List.of("names", "certificate", "key"));
    HOST.addAll(SiteTable.KEYS);
  }

  /// A value that cannot be changed while the server is running.
  private record Fixed(String value, @Nullable TomlPosition at) {}

  private final TomlTables tables;
  private final Map<String, Fixed> fixed = new LinkedHashMap<>();

  private SiteFile(TomlTables tables) {
    this.tables = tables;
  }

  /// Returns the path of the file.
  public Path path() {
    return tables.file();
  }

  /// Reads a file that contains only sites.
  ///
  /// @param into the options that receive the settings
  /// @throws UsageException if the file cannot be read or is not valid
  public static void read(Path file, SiteOptions into) throws UsageException {
    TomlTables.read(
        file,
        (tables, root) -> {
          tables.requireKeys(root, TOP, "the file");
          read(tables, root, into);
        });
  }

  /// Reads the sites of a table. Errors are collected in the tables.
  ///
  /// @param into the options that receive the settings
  public static void read(TomlTables tables, TomlTable table, SiteOptions into) {
    SiteFile read = new SiteFile(tables);
    read.all(table, into);
    into.file = read;
  }

  /// Checks that the values of this file can be applied to a running server.
  ///
  /// @throws UsageException if a value has been changed that cannot be changed while the server is
  ///   running
  public void requireSameServer(SiteFile before) throws UsageException {
    Set<String> keys = new LinkedHashSet<>(fixed.keySet());
    keys.addAll(before.fixed.keySet());
    for (String key : keys) {
      Fixed now = fixed.get(key);
      Fixed then = before.fixed.get(key);
      String value = now == null ? "" : now.value;
      if (!value.equals(then == null ? "" : then.value)) {
        String why =
            key
                + (now == null ? " is gone" : " is " + value)
                + (then == null ? ", and was not there" : ", and was " + then.value)
                + " when the server started, which keeps it";
        IllegalArgumentException wrong =
            tables.wrong(now == null ? null : now.at, why, "put it back, or start the server anew");
        throw new UsageException(String.valueOf(wrong.getMessage()));
      }
    }
  }

  private void keep(String name, TomlTable table, String key, Object value) {
    fixed.put(name, new Fixed(value.toString(), TomlTables.position(table, key)));
  }

  /// Adds the position of a value to an error that occurred when the value was used.
  ///
  /// @param value the value as it is written in the file; a path is relative to the directory of
  ///   the file
  /// @param problem the error that occurred
  IOException placed(String value, IOException problem) {
    for (Fixed each : fixed.values()) {
      if (each.value.equals(value)) {
        return new IOException(located(each.at, problem).getMessage(), problem);
      }
    }
    return problem;
  }

  private IllegalArgumentException located(@Nullable TomlPosition at, IOException problem) {
    String message = String.valueOf(problem.getMessage());
    int fix = message.lastIndexOf(FIX);
    String why = fix < 0 ? message : message.substring(0, fix);
    return tables.wrong(at, why, fix < 0 ? "correct it" : message.substring(fix + FIX.length()));
  }

  private void all(TomlTable root, SiteOptions into) {
    take(root, "server", server -> server(server, into));
    take(root, "tls", tls -> tls(tls, into));
    new SiteTable(tables, root, root, "").into(into);
    tables.take(() -> hosts(root, into));
    tables.take(() -> requireDirectory(root, into));
    tables.take(() -> plugins(root, into));
  }

  private void take(TomlTable root, String key, Consumer<TomlTable> part) {
    tables.take(() -> {
      TomlTable table = tables.below(root, key);
      if (table != null) {
        part.accept(table);
      }
    });
  }

  private void requireDirectory(TomlTable root, SiteOptions into) {
    if (into.directory == null && !root.contains(List.of("directory"))) {
      if (!root.contains(List.of("host"))) {
        throw tables.wrong(null, "it names no directory to serve", "directory = \"public\"");
      }
      for (String key : root.keySet()) {
        if (SiteTable.KEYS.contains(key)) {
          throw tables.wrong(
              TomlTables.position(root, key),
              key + " is for a site that has no directory",
              "write directory = \"public\" before it, or put it below a [[host]]");
        }
      }
    }
  }

  private void server(TomlTable table, SiteOptions into) {
    tables.requireKeys(table, SERVER, "[server]");
    for (String key : NUMBERS) {
      tables.take(() -> {
        Long number = tables.number(table, key);
        if (number != null) {
          option(table, key, number.toString(), into);
        }
      });
    }
    for (String key : TEXTS) {
      tables.take(() -> {
        String text = tables.string(table, key);
        if (text != null) {
          option(table, key, text, into);
        }
      });
    }
    for (String key : FLAGS) {
      tables.take(() -> {
        if (tables.flag(table, key, false)) {
          option(table, key, null, into);
        }
      });
    }
    tables.take(() -> {
      List<String> proxies = tables.strings(table, "proxy-protocol");
      if (!proxies.isEmpty()) {
        option(table, "proxy-protocol", String.join(",", proxies), into);
      }
    });
    tables.take(() -> {
      Path log = tables.path(table, "access-log");
      if (log != null) {
        option(table, "access-log", log.toString(), into);
      }
    });
  }

  private void option(TomlTable table, String key, @Nullable String value, SiteOptions into) {
    keep("[server] " + key, table, key, value == null ? "true" : value);
    TomlPosition where = TomlTables.position(table, key);
    String fix = "correct it; 'sluice serve --help' tells what --" + key + " takes";
    SiteTable.at(tables, where, fix, () -> into.set(key, value));
  }

  private void tls(TomlTable table, SiteOptions into) {
    tables.requireKeys(table, TLS, "[tls]");
    for (String key : List.of("certificate", "key")) {
      tables.take(() -> {
        Path path = pem(table, key, "[tls]");
        String option = key.equals("key") ? "tls-key" : "tls-cert";
        SiteTable.at(tables, null, "", () -> into.set(option, path.toString()));
      });
    }
    Long plain = tables.number(table, "redirect-port");
    if (plain != null) {
      if (plain < 0 || plain > 65_535) {
        throw tables.wrong(
            TomlTables.position(table, "redirect-port"),
            "redirect-port is no port: " + plain,
            "redirect-port = 80");
      }
      keep("[tls] redirect-port", table, "redirect-port", plain);
      into.redirectPort = plain.intValue();
    }
  }

  private Path pem(TomlTable table, String key, String what) {
    Path path = tables.path(table, key);
    if (path == null) {
      TomlPosition where = TomlTables.begin(table);
      throw tables.wrong(where, what + " has no " + key, key + " = \"FILE.pem\"");
    }
    if (!Files.isReadable(path)) {
      throw tables.wrong(
          TomlTables.position(table, key),
          path + " cannot be read",
          "name a PEM file, from where this file is");
    }
    keep(what + " " + key, table, key, path);
    return path;
  }

  /// Returns the certificate of a host that is used in addition to the server's certificate, or
  /// null if the host does not have one.
  private @Nullable TlsPair certificate(TomlTable host, boolean secure) {
    for (String key : List.of("certificate", "key")) {
      if (host.contains(List.of(key)) && !secure) {
        throw tables.wrong(
            TomlTables.position(host, key),
            key + " of a host without [tls]",
            "write [tls] with the certificate of clients that name no host");
      }
    }
    if (!host.contains(List.of("certificate")) && !host.contains(List.of("key"))) {
      return null;
    }
    String what = "[[host]] " + tables.strings(host, "names");
    return new TlsPair(pem(host, "certificate", what), pem(host, "key", what));
  }

  /// Checks that a certificate is valid for a name of its host. Clients receive the certificate for
  /// the name that they request, so a certificate for any other name would never be used.
  private void requireNames(TlsPair pair, List<String> wanted, @Nullable TomlPosition where) {
    List<String> has;
    try {
      has = pair.names();
    } catch (IOException e) {
      throw located(where, e);
    }
    if (wanted.stream().noneMatch(name -> TlsPair.isFor(has, name))) {
      throw tables.wrong(
          where,
          pair.certificate()
              + " is for "
              + (has.isEmpty() ? "no name (no DNS in its subjectAltName)" : String.join(", ", has))
              + ", not for "
              + String.join(", ", wanted)
              + ": clients would get the certificate of [tls]",
          "name a certificate for one of the names, or leave certificate and key out here");
    }
  }

  private void hosts(TomlTable root, SiteOptions into) {
    List<VirtualHost> hosts = new ArrayList<>();
    Set<String> names = new LinkedHashSet<>();
    for (TomlTable table : tables.each(root, "host", "host")) {
      tables.take(() -> host(root, table, names, hosts, into));
    }
    into.hosts = hosts;
  }

  private void host(
      TomlTable root,
      TomlTable table,
      Set<String> names,
      List<VirtualHost> hosts,
      SiteOptions into) {
    tables.requireKeys(table, HOST, "[[host]]");
    TomlPosition begin = TomlTables.begin(table);
    if (table.get(List.of("directory")) == null || tables.strings(table, "names").isEmpty()) {
      throw tables.wrong(
          begin,
          "[[host]] has no names or no directory",
          "names = [\"example.com\"] and directory = \"example\"");
    }
    TlsPair pair = certificate(table, root.contains(List.of("tls")));
    SiteOptions site = new SiteOptions();
    new SiteTable(tables, root, table, "host.").into(site);
    into.warnings.putAll(site.warnings);
    if (site.directory == null) {
      return; // the error has already been reported
    }
    TomlPosition where = TomlTables.position(table, "names");
    SiteTable.at(
        tables,
        where,
        "names = [\"example.com\", \"*.example.com\"]",
        () -> {
          VirtualHost host =
              new VirtualHost(tables.strings(table, "names"), site.site(), site.rules);
          for (String name : host.names()) {
            if (!names.add(name)) {
              throw new UsageException("another host is named " + name + " already");
            }
          }
          hosts.add(host);
        });
    if (pair != null) {
      requireNames(pair, hosts.getLast().names(), TomlTables.position(table, "certificate"));
      into.certificates.add(pair);
    }
  }

  private void plugins(TomlTable root, SiteOptions into) {
    for (TomlTable table : tables.each(root, "plugin", "plugin")) {
      tables.take(() -> plugin(table, into));
    }
  }

  private void plugin(TomlTable table, SiteOptions into) {
    tables.requireKeys(table, PLUGIN, "[[plugin]]");
    String path = tables.string(table, "path");
    Path jar = tables.path(table, "jar");
    TomlPosition where = TomlTables.begin(table);
    if (path == null || jar == null) {
      throw tables.wrong(
          where, "[[plugin]] has no path or no jar", "path = \"/api\" and jar = \"api.jar\"");
    }
    if (!Files.isReadable(jar)) {
      throw tables.wrong(
          TomlTables.position(table, "jar"), jar + " cannot be read", "name a jar that exists");
    }
    String budget = tables.string(table, "budget");
    Map<String, String> terms = terms(table);
    keep("[[plugin]] " + path, table, "path", jar + " " + budget + " " + terms);
    SiteTable.at(
        tables,
        TomlTables.position(table, "path"),
        "path = \"/api\"",
        () -> into.plugins.add(path + "=" + jar));
    if (budget != null) {
      SiteTable.at(
          tables,
          TomlTables.position(table, "budget"),
          "budget = \"cpu=20%,threads=8\"",
          () -> into.plugins.budget(budget));
    }
    terms.forEach((key, value) ->
        SiteTable.at(
            tables,
            TomlTables.position(table, key),
            "calls = 16, waiting = 64 and restart = \"always\"",
            () -> into.plugins.term(key, value)));
    requireNoUsers(path, where, into);
  }

  /// Returns the limits on calls and the restart policy that are specified for a plug-in.
  private Map<String, String> terms(TomlTable table) {
    Map<String, String> terms = new LinkedHashMap<>();
    for (String key : List.of("calls", "waiting")) {
      Long number = tables.number(table, key);
      if (number != null) {
        terms.put(key, number.toString());
      }
    }
    String restart = tables.string(table, "restart");
    if (restart != null) {
      terms.put("restart", restart);
    }
    return terms;
  }

  /// Checks that no access rule with users applies to a plug-in, because passwords are checked only
  /// for files.
  private void requireNoUsers(String path, @Nullable TomlPosition where, SiteOptions into) {
    List<AccessRule> rules = new ArrayList<>(into.rules.access());
    into.hosts.forEach(host -> rules.addAll(host.rules().access()));
    for (AccessRule rule : rules) {
      String text = rule.path().toString();
      int star = text.indexOf('*');
      String literal = star < 0 ? text : text.substring(0, star);
      boolean meets = literal.startsWith(path) || path.startsWith(literal);
      if (rule.signIn() != null && meets) {
        throw tables.wrong(
            where,
            "plug-in " + path + " is below " + text + ", which has users",
            "let other addresses in alone (allow), or let the plug-in ask for passwords");
      }
    }
  }
}
