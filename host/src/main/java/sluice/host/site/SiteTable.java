package sluice.host.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;
import sluice.host.file.TomlTables;
import sluice.host.file.UsageException;
import sluice.host.file.WrongValue;
import sluice.http.rules.AccessRule;
import sluice.http.rules.AddressRange;
import sluice.http.rules.HeaderRule;
import sluice.http.rules.PathPattern;
import sluice.http.rules.RedirectRule;
import sluice.http.rules.SignIn;
import sluice.http.rules.SiteRules;

/// Reads the configuration of one site, which includes its directory, the options for finding and
/// sending files, and its rules. Instances are confined to the thread that reads the file.
final class SiteTable {
  /// The keys that have the same values as the corresponding option of `sluice serve`.
  private static final List<String> TEXTS = List.of("symlinks", "etag");

  static final Set<String> KEYS =
      keys(
          "directory",
          "index",
          "listing",
          "hidden",
          "symlinks",
          "gzip",
          "zstd",
          "compress-from",
          "compress-types",
          "precompressed",
          "etag",
          "cache-control",
          "clean-urls",
          "single-page",
          "try",
          "types",
          "error-pages",
          "header",
          "redirect",
          "access");

  private static final String FIX = ". Fix: ";

  private static final Set<String> HEADER = keys("path", "set");
  private static final Set<String> REDIRECT = keys("from", "to", "status");
  private static final Set<String> ACCESS = keys("path", "allow", "deny", "users", "realm");

  private final TomlTables tables;
  private final TomlTable top;
  private final TomlTable site;
  private final String prefix;

  /// Creates a reader.
  ///
  /// @param top the top-level table of the file
  /// @param prefix the prefix of the table names, which is empty or `host.`
  SiteTable(TomlTables tables, TomlTable top, TomlTable site, String prefix) {
    this.tables = tables;
    this.top = top;
    this.site = site;
    this.prefix = prefix;
  }

  static Set<String> keys(String... keys) {
    return Collections.unmodifiableSet(new LinkedHashSet<>(List.of(keys)));
  }

  /// A setter of a value that throws an exception if the value is not valid.
  interface Setting {
    void set() throws UsageException;
  }

  /// Sets a value. If this fails, the position of the value is added to the error.
  static void at(TomlTables tables, @Nullable TomlPosition position, String fix, Setting setting) {
    try {
      setting.set();
    } catch (WrongValue e) {
      throw e;
    } catch (UsageException | IllegalArgumentException e) {
      throw tables.wrong(position, problem(e), fix);
    }
  }

  /// Returns the message of an error without its fix, because the fix applies to the command line
  /// and not to a file.
  private static String problem(Exception wrong) {
    String message = String.valueOf(wrong.getMessage());
    int advice = message.indexOf(FIX);
    return advice < 0 ? message : message.substring(0, advice);
  }

  private void at(TomlTable table, String key, String fix, Setting setting) {
    at(tables, TomlTables.position(table, key), fix, setting);
  }

  /// Reads all keys and stores their values in the options of a site. Errors are collected in the
  /// tables.
  void into(SiteOptions options) {
    tables.take(() -> options.directory = directory());
    for (String key : TEXTS) {
      tables.take(() -> set(options, key, tables.string(site, key), "choose one of these"));
    }
    for (String key : List.of("gzip", "zstd", "compress-from")) {
      String fix = key + " = " + (key.equals("compress-from") ? 256 : 6);
      tables.take(() -> {
        Long number = tables.number(site, key);
        set(options, key, number == null ? null : number.toString(), fix);
      });
    }
    tables.take(() -> list(options, "compress-types", "compress-types = [\"text/*\"]"));
    for (String key : List.of("listing", "hidden")) {
      tables.take(() -> {
        if (tables.flag(site, key, false)) {
          at(site, key, "", () -> options.set(key, null));
        }
      });
    }
    tables.take(() -> {
      if (!tables.flag(site, "precompressed", true)) {
        at(site, "precompressed", "", () -> options.set("no-precompressed", null));
      }
    });
    tables.take(() -> list(options, "index", "index = [\"index.html\"]"));
    tables.take(() -> options.tries = tries());
    tables.take(() -> options.types = types());
    tables.take(() -> errorPages(options, options.directory));
    boolean isRead = tables.take(() -> options.rules = rules());
    if (options.directory != null) { // checks the values in combination
      TomlPosition begin = TomlTables.position(site, "directory");
      tables.take(() -> at(tables, begin, "correct the value", () -> check(options)));
      if (isRead && tables.isGood()) {
        tables.take(() -> at(tables, begin, "correct the value", () -> compareRules(options)));
      }
    }
  }

  private @Nullable Path directory() {
    Path directory = tables.path(site, "directory");
    if (directory != null && !Files.isDirectory(directory)) {
      throw tables.wrong(
          TomlTables.position(site, "directory"),
          "cannot serve "
              + directory
              + ": it is "
              + (Files.exists(directory) ? "no directory" : "not there"),
          "name a directory that exists, from where this file is");
    }
    return directory;
  }

  private void set(SiteOptions options, String key, @Nullable String value, String fix) {
    if (value != null) {
      at(site, key, fix, () -> options.set(key, value));
    }
  }

  private void list(SiteOptions options, String key, String fix) {
    List<String> values = tables.strings(site, key);
    if (!values.isEmpty()) {
      set(options, key, String.join(",", values), fix);
    }
  }

  private void check(SiteOptions options) throws UsageException {
    try {
      options.site();
    } catch (UsageException | IllegalArgumentException e) {
      for (String key : List.of("index", "try", "single-page", "types")) {
        if (site.contains(List.of(key))) {
          String fix = key.equals("types") ? "md = \"text/markdown\"" : "see docs/site.md";
          if (isAbout(key, String.valueOf(e.getMessage()))) {
            throw tables.wrong(TomlTables.position(site, key), problem(e), fix);
          }
        }
      }
      throw e;
    }
  }

  /// Compares the rules with the existing files.
  private void compareRules(SiteOptions options) throws UsageException {
    List<String> plugins = new ArrayList<>();
    for (TomlTable each : tables.each(top, "plugin", "plugin")) {
      plugins.addAll(Optional.ofNullable(tables.string(each, "path")).stream().toList());
    }
    RulePaths paths = new RulePaths(options.site(), options.rules, plugins);
    List<TomlTable> guarded = tables.each(site, "access", prefix + "access");
    for (int i = 0; i < guarded.size(); i++) {
      AccessRule rule = options.rules.access().get(i);
      TomlPosition where = TomlTables.position(guarded.get(i), "path");
      Path folding = paths.directoryWithoutCase(rule);
      if (folding != null) {
        throw tables.wrong(
            where,
            folding
                + " does not tell small letters from capital ones, so "
                + rule.path()
                + " could be asked for in another spelling",
            "serve a directory of a file system that does");
      }
      options.warnings.put(
          unused("access", rule.path(), where), () -> !paths.guardsSomething(rule));
    }
    for (TomlTable each : tables.each(site, "header", prefix + "header")) {
      PathPattern path = PathPattern.of(String.valueOf(tables.string(each, "path")));
      TomlPosition where = TomlTables.position(each, "path");
      options.warnings.put(unused("header", path, where), () -> !paths.fitsSomething(path));
    }
  }

  private String unused(String what, PathPattern path, @Nullable TomlPosition where) {
    String why = "[[" + prefix + what + "]] names no file: nothing is at " + path;
    String fix = "correct the path, or leave the rule out";
    return String.valueOf(tables.wrong(where, why, fix).getMessage());
  }

  private static boolean isAbout(String key, String message) {
    return switch (key) {
      case "index" -> message.contains("index");
      case "types" -> message.contains("media type") || message.contains("extension");
      default -> message.contains("tried");
    };
  }

  private List<String> tries() {
    List<String> tries = new ArrayList<>();
    if (tables.flag(site, "clean-urls", false)) {
      tries.add("{path}.html");
    }
    tries.addAll(tables.strings(site, "try"));
    String page = tables.string(site, "single-page");
    if (page != null) {
      tries.add(page.startsWith("/") ? page : "/" + page);
    }
    return tries;
  }

  private Map<String, String> types() {
    Map<String, String> types = new LinkedHashMap<>();
    tables.table(site, "types").forEach((key, value) -> types.put(key, value.toString()));
    return types;
  }

  private void errorPages(SiteOptions options, @Nullable Path directory) {
    TomlTable table = tables.below(site, "error-pages");
    Map<String, Object> pages = tables.table(site, "error-pages");
    pages.forEach((status, page) ->
        tables.take(() -> {
          TomlPosition where = TomlTables.position(table == null ? site : table, status);
          String fix = "404 = \"errors/404.html\", a file beneath the directory";
          at(tables, where, fix, () -> options.set("error-page", status + "=" + page));
          String beneath = page.toString().replaceFirst("^/+", "");
          if (directory != null && !Files.isReadable(directory.resolve(beneath))) {
            throw tables.wrong(where, directory.resolve(beneath) + " cannot be read", fix);
          }
        }));
  }

  private SiteRules rules() {
    List<HeaderRule> headers = new ArrayList<>();
    String cacheControl = tables.string(site, "cache-control");
    if (cacheControl != null) {
      Map<String, String> field = Map.of("Cache-Control", cacheControl);
      at(
          site,
          "cache-control",
          "cache-control = \"max-age=60\"",
          () -> headers.add(new HeaderRule(PathPattern.of("*"), field)));
    }
    for (TomlTable each : tables.each(site, "header", prefix + "header")) {
      tables.take(() -> headers.add(header(each)));
    }
    List<RedirectRule> redirects = new ArrayList<>();
    for (TomlTable each : tables.each(site, "redirect", prefix + "redirect")) {
      tables.take(() -> {
        redirects.add(redirect(each));
        String fix = "name a path that from does not have, or make from smaller";
        at(each, "to", fix, () -> SiteRules.requireNoCircle(redirects, redirects.size() - 1));
      });
    }
    List<AccessRule> access = new ArrayList<>();
    for (TomlTable each : tables.each(site, "access", prefix + "access")) {
      tables.take(() -> access.add(access(each)));
    }
    return tables.isGood() ? new SiteRules(headers, redirects, access) : SiteRules.NONE;
  }

  private HeaderRule header(TomlTable table) {
    tables.requireKeys(table, HEADER, "[[" + prefix + "header]]");
    PathPattern path = pattern(table, "path", "header");
    TomlTable set = tables.below(table, "set");
    if (set == null) {
      throw tables.wrong(
          TomlTables.position(table, "path"), "no field is set", "set = { X-Name = \"value\" }");
    }
    Map<String, String> fields = new LinkedHashMap<>();
    tables
        .table(table, "set")
        .forEach((name, value) -> {
          at(
              set,
              name,
              "write another field, or none",
              () -> HeaderRule.check(name, value.toString()));
          fields.put(name, value.toString());
        });
    return new HeaderRule(path, fields);
  }

  private RedirectRule redirect(TomlTable table) {
    tables.requireKeys(table, REDIRECT, "[[" + prefix + "redirect]]");
    PathPattern from = pattern(table, "from", "redirect");
    String to = required(table, "to", "from", "/new");
    Long status = tables.number(table, "status");
    RedirectRule[] made = new RedirectRule[1];
    String key =
        status == null || List.of(301L, 302L, 303L, 307L, 308L).contains(status) ? "to" : "status";
    at(
        table,
        key,
        "to = \"/new/*\" and status = 301",
        () -> made[0] = new RedirectRule(from, to, status == null ? 301 : Math.toIntExact(status)));
    return made[0];
  }

  private AccessRule access(TomlTable table) {
    tables.requireKeys(table, ACCESS, "[[" + prefix + "access]]");
    PathPattern path = pattern(table, "path", "access");
    SignIn signIn = signIn(table);
    AccessRule[] made = new AccessRule[1];
    at(
        table,
        "path",
        "allow = [\"10.0.0.0/8\"], deny = [\"all\"] or users = \"FILE\"",
        () ->
            made[0] = new AccessRule(path, ranges(table, "allow"), ranges(table, "deny"), signIn));
    return made[0];
  }

  private List<AddressRange> ranges(TomlTable table, String key) {
    List<AddressRange> ranges = new ArrayList<>();
    for (String each : tables.strings(table, key)) {
      at(table, key, key + " = [\"10.0.0.0/8\"]", () -> ranges.add(AddressRange.of(each)));
    }
    return ranges;
  }

  private @Nullable SignIn signIn(TomlTable table) {
    Path users = tables.path(table, "users");
    String realm = tables.string(table, "realm");
    if (users == null) {
      return null;
    }
    try {
      PasswordFile passwords = PasswordFile.read(users);
      return new SignIn(realm == null ? "restricted" : realm, passwords);
    } catch (IOException e) {
      throw tables.wrong(
          TomlTables.position(table, "users"),
          users + " cannot be read",
          "name a file that htpasswd -B has made");
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      int fix = message.indexOf(FIX);
      throw tables.wrong(
          TomlTables.position(table, fix < 0 ? "realm" : "users"),
          fix < 0 ? message : message.substring(0, fix),
          fix < 0 ? "realm = \"staff\"" : message.substring(fix + FIX.length()));
    }
  }

  private PathPattern pattern(TomlTable table, String key, String what) {
    String text = tables.string(table, key);
    if (text == null) {
      TomlPosition where = TomlTables.begin(table);
      throw tables.wrong(where, "[[" + prefix + what + "]] has no " + key, key + " = \"/a/*\"");
    }
    PathPattern[] made = new PathPattern[1];
    at(table, key, key + " = \"/a/*\"", () -> made[0] = PathPattern.of(text));
    return made[0];
  }

  private String required(TomlTable table, String key, String beside, String example) {
    String text = tables.string(table, key);
    if (text == null) {
      throw tables.wrong(
          TomlTables.position(table, beside), "it has no " + key, key + " = \"" + example + "\"");
    }
    return text;
  }
}
