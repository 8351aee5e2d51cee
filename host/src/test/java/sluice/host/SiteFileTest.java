package sluice.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.security.crypto.bcrypt.BCrypt;
import sluice.host.file.UsageException;
import sluice.host.site.SiteOptions;
import sluice.http.HttpConfig;
import sluice.http.VirtualHost;
import sluice.http.clients.ClientLimits;
import sluice.http.rules.AddressRange;
import sluice.http.site.Compression;
import sluice.http.site.Site;
import sluice.loop.engine.Backend;
import sluice.testbase.Await;
import sluice.testbase.Child;

@Timeout(240)
final class SiteFileTest {
  @TempDir Path directory = Path.of(".");
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream print = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  @BeforeEach
  void site() throws IOException {
    Files.createDirectories(directory.resolve("public/errors"));
    Files.writeString(directory.resolve("public/index.html"), "home");
    Files.writeString(directory.resolve("public/about.html"), "about");
    Files.writeString(directory.resolve("public/errors/404.html"), "not here");
    Files.createDirectories(directory.resolve("example/admin"));
    Files.writeString(directory.resolve("example/index.html"), "example");
    Files.writeString(directory.resolve("example/admin/index.html"), "admin");
  }

  private Path write(String text) throws IOException {
    return Files.writeString(directory.resolve("site.toml"), text);
  }

  private SiteOptions read(String text) throws Exception {
    return SiteOptions.read(write(text));
  }

  @Test
  void saysAllThatOptionsCan() throws Exception {
    SiteOptions options =
        read(
            """
            directory = "public"
            index = ["about.html"]
            listing = true
            hidden = true
            symlinks = "refuse"
            gzip = 0
            precompressed = false
            etag = "content"
            cache-control = "max-age=60"
            error-pages = { 404 = "errors/404.html" }
            types = { md = "text/markdown; charset=utf-8" }
            clean-urls = true
            single-page = "index.html"

            [server]
            port = 0
            host = "0.0.0.0"
            backend = "epoll"
            loops = 2
            max-connections = 9
            cache-mb = 3
            metrics-port = 0
            access-log = "log"
            revalidate = true
            demo = true
            header-timeout = 3
            idle-timeout = 4
            send-timeout = 5
            drain-timeout = 6
            """);
    HttpConfig config = options.config(List.of());
    Site site = config.site();
    assertThat(site.root()).isEqualTo(directory.resolve("public"));
    assertThat(site.indexNames()).containsExactly("about.html");
    assertThat(site.listing()).isTrue();
    assertThat(site.hiddenFiles()).isTrue();
    assertThat(site.precompressed()).isFalse();
    assertThat(site.compression().gzipLevel()).isZero();
    assertThat(site.symlinks()).isEqualTo(Site.Symlinks.REFUSE);
    assertThat(site.tags()).isEqualTo(Site.Tags.CONTENT);
    assertThat(site.errorPages()).containsEntry(404, "errors/404.html");
    assertThat(site.types()).containsEntry("md", "text/markdown; charset=utf-8");
    assertThat(site.tries()).containsExactly("{path}.html", "/index.html");
    assertThat(config.server().backend()).isEqualTo(Backend.EPOLL);
    assertThat(config.server().loops()).isEqualTo(2);
    assertThat(config.server().loop().maxConnections()).isEqualTo(9);
    InetSocketAddress address = (InetSocketAddress) config.server().addresses().getFirst();
    assertThat(address.getAddress().isAnyLocalAddress()).isTrue();
    assertThat(config.cacheBytes()).isEqualTo(3 << 20);
    assertThat(config.watches()).isZero();
    assertThat(config.accessLog()).isEqualTo(directory.resolve("log"));
    assertThat(config.monitoring().addresses()).hasSize(1);
    assertThat(config.headerTimeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(config.idleTimeout()).isEqualTo(Duration.ofSeconds(4));
    assertThat(options.drainTimeout()).isEqualTo(Duration.ofSeconds(6));
    assertThat(config.routes()).isNotEmpty();
    assertThat(config.rules().headers()).hasSize(1);
    assertThat(config.namedOnly()).isFalse();
  }

  @Test
  void saysHowClientsAreLimitedAndFilesCompressed() throws Exception {
    HttpConfig config =
        read("""
        directory = "public"
        gzip = 5
        zstd = 4
        compress-from = 1000
        compress-types = ["text/*", "image/svg+xml"]
        [server]
        connections-per-address = 20
        requests-per-address = 30
        burst-per-address = 40
        proxy-protocol = ["10.0.0.0/8", "::1"]
        """)
            .config(List.of());
    assertThat(config.clientLimits()).isEqualTo(new ClientLimits(20, 30, 40));
    assertThat(config.proxies())
        .containsExactly(AddressRange.of("10.0.0.0/8"), AddressRange.of("::1"));
    assertThat(config.site().compression())
        .isEqualTo(new Compression(5, 4, 1000, List.of("text/*", "image/svg+xml")));
  }

  @Test
  void whatIsSetLaterCountsBeforeIt() throws Exception {
    SiteOptions options = read("directory = \"public\"\n[server]\nport = 80\n");
    options.set("--port", "0");
    options.set("--loops", "3");
    HttpConfig config = options.config(List.of());
    assertThat(((InetSocketAddress) config.server().addresses().getFirst()).getPort()).isZero();
    assertThat(config.server().loops()).isEqualTo(3);
    assertThatThrownBy(() -> options.serve(Path.of("other")))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("site.toml");
    assertThatThrownBy(() -> SiteOptions.read(Path.of("/none/x.toml")))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("/none/x.toml is not there. Fix:");
  }

  @Test
  void hostsAloneRefuseOtherNames() throws Exception {
    HttpConfig config =
        read("[[host]]\nnames = [\"a.example\", \"*.A.example.\"]\ndirectory = \"example\"\n")
            .config(List.of());
    assertThat(config.namedOnly()).isTrue();
    assertThat(config.hosts()).hasSize(1);
    VirtualHost host = config.hosts().getFirst();
    assertThat(host.names()).containsExactly("a.example", "*.a.example");
    assertThat(host.site().root()).isEqualTo(directory.resolve("example"));
  }

  private static Arguments arguments(String text, String... parts) {
    return Arguments.of(text, List.of(parts));
  }

  static Stream<Arguments> wrong() {
    String site = "directory = \"public\"\n";
    return Stream.of(
        arguments("", ": it names no directory to serve. Fix: directory ="),
        arguments("directory = ", ":1: "),
        arguments("directory = \"none\"", ":1: cannot serve ", "not there. Fix: name a directory"),
        arguments("directory = \"site.toml\"", ":1: ", "no directory. Fix: "),
        arguments("directory = 1", ":1: directory is no string. Fix: "),
        arguments(
            site + "listin = true", ":2: unknown key listin of the file. Fix: write listing;"),
        arguments(site + "clean_urls = true", ":2: unknown key clean_urls", "write clean-urls;"),
        arguments(
            site + "listing = 1", ":2: listing is neither true nor false. Fix: listing = true"),
        arguments(site + "gzip = 10", ":2: gzip takes a number from 0 to 9: 10. Fix: gzip = 6"),
        arguments(site + "gzip = \"6\"", ":2: gzip is no whole number. Fix: gzip = 1"),
        arguments(site + "zstd = 20", ":2: zstd takes a number from 0 to 19"),
        arguments(
            site + "compress-types = [\"text\"]",
            ":2: compress-types: what is compressed",
            "Fix: compress-types = "),
        arguments(site + "symlinks = \"no\"", ":2: symlinks is refuse, inside or follow: no"),
        arguments(site + "\nindex = [\"a/b\"]", ":3: ", "index name", "Fix: "),
        arguments(site + "try = [\"x\"]", ":2: what is tried", "Fix: "),
        arguments(site + "types = { MD = \"a/b\" }", ":2: an extension", "Fix: "),
        arguments(site + "error-pages = { 404 = \"none.html\" }", ":2: ", "cannot be read. Fix: "),
        arguments(site + "error-pages = { 200 = \"index.html\" }", ":2: ", "400 to 599: 200"),
        arguments(
            site + "[server]\nprot = 1", ":3: unknown key prot of [server]. Fix: write port;"),
        arguments(site + "[server]\nport = 70000", ":3: port takes a number from 0 to 65535"),
        arguments(
            site + "[server]\nproxy-protocol = [\"lb\"]",
            ":3: proxy-protocol: an address is such as",
            "Fix: "),
        arguments(
            site + "[server]\nrequests-per-address = 0",
            ":3: requests-per-address takes a number from 1 to 10000000"),
        arguments(site + "[server]\nbackend = \"kqueue\"", ":3: no backend 'kqueue'", "Fix: "),
        arguments(
            site + "[server]\nlog-format = \"{adress}\"",
            ":3: a log format has no {adress}, but address",
            "Fix: "),
        arguments("directory = \"public", ":1: ", "Fix: end the text with a quote"),
        arguments("directory = ", ":1: ", "Fix: write a value behind the sign ="),
        arguments(site + "directory = \"public\"", ":2: ", "Fix: leave one of the two out"),
        arguments("index = [\"a\"", ":1: ", "Fix: close the bracket"));
  }

  static Stream<Arguments> wrongTables() {
    String site = "directory = \"public\"\n";
    String host = site + "[[host]]\nnames = [\"a\"]\ndirectory = \"example\"\n";
    return Stream.of(
        arguments("server = 1\n" + site, ":1: server is no table. Fix: write [server]"),
        arguments(site + "[tls]\nkey = \"k\"", ":3: [tls] has no certificate. Fix: "),
        arguments(
            site + "[tls]\ncertificate = \"c\"\nkey = \"k\"", ":3: ", "c cannot be read. Fix: "),
        arguments(site + "[[header]]\nset = { A = \"b\" }", ":3: [[header]] has no path. Fix: "),
        arguments(site + "[[header]]\npath = \"/*\"", ":3: no field is set. Fix: set ="),
        arguments(
            site + "[[header]]\npath = \"/*\"\n[header.set]\nContent-Length = \"1\"",
            ":5: the server sets Content-Length itself. Fix: "),
        arguments(
            site + "[[header]]\npath = \"/*\"\nset = { \"A B\" = \"1\" }",
            ":4: not the name",
            "Fix"),
        arguments(
            site + "[[header]]\npath = \"/a//b\"\nset = { A = \"1\" }",
            ":3: a path pattern",
            "Fix"),
        arguments(site + "[[redirect]]\nfrom = \"/a\"", ":3: it has no to. Fix: to = "),
        arguments(
            site + "[[redirect]]\nfrom = \"/a\"\nto = \"//x\"", ":4: a redirect leads", "Fix: "),
        arguments(
            site + "[[redirect]]\nfrom = \"/a\"\nto = \"/b\"\nstatus = 200",
            ":5: a redirect is 301"),
        arguments(
            site + "[[redirect]]\nfrom = \"/*\"\nto = \"/down.html\"",
            ":4: a redirect leads in a circle: /* is also for /down.html",
            "Fix: "),
        arguments(site + "[[access]]\npath = \"/a\"", ":3: an access rule", "Fix: allow = "),
        arguments(
            site + "[[access]]\npath = \"/a\"\nallow = [\"localhost\"]", ":4: an address", "Fix: "),
        arguments(site + "[[access]]\npath = \"/a\"\nusers = \"u\"", ":4: ", "u cannot be read"),
        arguments(
            site + "[[access]]\npath = \"/a\"\nusers = \"site.toml\"",
            ":4: ",
            "site.toml:1: it is no NAME:HASH",
            "Fix: htpasswd -B"),
        arguments(host + "listin = 1", ":5: unknown key listin of [[host]]. Fix: write listing;"),
        arguments(site + "[[host]]\nnames = [\"a\"]", ":3: [[host]] has no names or no directory"),
        arguments(
            site + "[[host]]\ndirectory = \"example\"\nnames = [\"a:80\"]",
            ":4: a host name is such as",
            "Fix: names = "),
        arguments(
            host + "[[host]]\ndirectory = \"example\"\nnames = [\"A.\"]",
            ":7: another host is named a already. Fix: "),
        arguments(
            host + "[[host.redirect]]\nfrom = \"/a\"\ntwo = 1",
            ":7: unknown key two of [[host.redirect]]. Fix: write to;"),
        arguments(
            "listing = true\n[[host]]\nnames = [\"a\"]\ndirectory = \"example\"",
            ":1: listing is for a site that has no directory. Fix: "),
        arguments(
            site + "[[plugin]]\npath = \"/a\"", ":3: [[plugin]] has no path or no jar. Fix: "),
        arguments(
            site + "[[plugin]]\npath = \"/a\"\njar = \"none.jar\"",
            ":4: ",
            "cannot be read. Fix: "),
        arguments(
            site + "[[plugin]]\npath = \"a\"\njar = \"site.toml\"", ":3: ", "starts with a slash"),
        arguments(
            site + "[[plugin]]\npath = \"/a\"\njar = \"site.toml\"\ncalls = 0",
            ":5: calls of a plug-in is a number from 1 to 256: 0. Fix: calls = 16"),
        arguments(
            site + "[[plugin]]\npath = \"/a\"\njar = \"site.toml\"\nrestart = \"often\"",
            ":5: restart of a plug-in is always or never: often. Fix: "));
  }

  @ParameterizedTest
  @MethodSource({"wrong", "wrongTables"})
  void namesFileLineWhyAndFix(String text, List<String> parts) throws Exception {
    Path file = write(text);
    assertThatThrownBy(() -> SiteOptions.read(file))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining(file + parts.getFirst())
        .hasMessageContaining("Fix: ")
        .satisfies(e -> assertThat(e.getMessage()).contains(parts));
  }

  @Test
  void allThatIsWrongIsReportedAtOnceInTheOrderOfTheFile() throws Exception {
    String text =
        """
        directory = "public"
        listin = true
        gzip = 10
        [server]
        port = 70000
        loops = "2"
        [[header]]
        path = "/*"
        [[redirect]]
        from = "/a"
        [[host]]
        names = ["a"]
        directory = "none"
        [[plugin]]
        path = "/a"
        """;
    Path file = write(text);
    assertThatThrownBy(() -> SiteOptions.read(file))
        .isInstanceOf(UsageException.class)
        .satisfies(e ->
            assertThat(
                    String.valueOf(e.getMessage())
                        .lines()
                        .map(line -> line.replaceFirst(": .*", "")))
                .containsExactly(
                    Stream.of(2, 3, 5, 6, 8, 10, 13, 15)
                        .map(line -> file + ":" + line)
                        .toArray(String[]::new)));
    Path many = write("directory = \"public\"\n" + wrongKeys(51));
    assertThatThrownBy(() -> SiteOptions.read(many))
        .satisfies(e ->
            assertThat(String.valueOf(e.getMessage()).lines())
                .hasSize(21)
                .last()
                .asString()
                .contains("31 more"));
  }

  private static String wrongKeys(int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append("unknown-").append(i).append(" = 1\n");
    }
    return text.toString();
  }

  /// Creates the files `NAME.pem` and `NAME.key` with a self-signed certificate and its key.
  private void keys(String name, String extension) throws Exception {
    String password = "for the test";
    Path store = directory.resolve(name + ".p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    String words = "-genkeypair -keyalg EC -alias key -storetype PKCS12 -dname CN=" + name;
    ProcessBuilder builder = new ProcessBuilder(keytool);
    builder.command().addAll(List.of(words.split(" ")));
    builder.command().addAll(List.of("-ext", extension, "-keystore", store.toString()));
    builder.command().addAll(List.of("-storepass", password));
    Child keys = Child.run(builder);
    assertThat(keys.exit()).as(keys.output()).isZero();
    KeyStore made = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      made.load(in, password.toCharArray());
    }
    pem(name + ".pem", "CERTIFICATE", made.getCertificate("key").getEncoded());
    pem(name + ".key", "PRIVATE KEY", made.getKey("key", password.toCharArray()).getEncoded());
  }

  private void pem(String file, String kind, byte[] bytes) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    Files.writeString(
        directory.resolve(file),
        "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
  }

  private String wrongWhenUsed(String text) throws Exception {
    Path file = write(text);
    try {
      HttpConfig _ = SiteOptions.read(file).check();
    } catch (UsageException | IOException e) {
      return String.valueOf(e.getMessage()).replace(file.toString(), "");
    }
    return "nothing is wrong";
  }

  @Test
  void whatIsWrongOnlyWhenUsedHasItsLineToo() throws Exception {
    String site = "directory = \"public\"\n[server]\n";
    assertThat(wrongWhenUsed(site + "host = \"none.invalid\"\n"))
        .startsWith(":3: cannot listen on --host none.invalid")
        .contains("Fix: ");
    assertThat(wrongWhenUsed(site + "access-log = \"none/log\"\n"))
        .startsWith(":3: access log ")
        .contains("Why: its directory is missing. Fix: ");
    assertThat(wrongWhenUsed(site + "access-log = \"public\"\n"))
        .startsWith(":3: access log ")
        .contains("Why: it is a directory. Fix: ");
    Files.write(directory.resolve("site.toml"), new byte[] {'#', (byte) 0xff});
    assertThatThrownBy(() -> SiteOptions.read(directory.resolve("site.toml")))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("site.toml: it is not in UTF-8. Fix: ");
  }

  @Test
  void certificatesAreForTheirHosts() throws Exception {
    keys("main", "san=dns:main.example");
    keys("app", "san=dns:app.example,dns:*.app.example,dns:xn--bcher-kva.example");
    keys("bare", "ku=digitalSignature");
    String tls = "directory = \"public\"\n[tls]\ncertificate = \"main.pem\"\nkey = \"main.key\"\n";
    String host = "[[host]]\ndirectory = \"example\"\nnames = [\"B.example\"]\n";
    String pair = "certificate = \"app.pem\"\nkey = \"app.key\"\n";
    assertThat(wrongWhenUsed(tls.replace("main.key", "app.key")))
        .startsWith(":3: cannot use ")
        .contains("Why: the key does not belong to the first certificate", "Fix: put");
    assertThat(wrongWhenUsed(tls + host + pair))
        .startsWith(":8: ")
        .contains("app.pem is for app.example, *.app.example, xn--bcher-kva.example, not for b.")
        .contains("Fix: name");
    assertThat(wrongWhenUsed(tls + host + pair.replace("app", "bare")))
        .startsWith(":8: ")
        .contains("bare.pem is for no name", "Fix: name");
    String other = host.replace("B", "x.app") + pair.replace("app.key", "main.key");
    assertThat(wrongWhenUsed(tls + other)).startsWith(":8: cannot use ");
    for (String name :
        List.of("x.app.example", "APP.example.", "*.app.example", "B\u00fccher.example", "*.x.a")) {
      Path file = write(tls + host.replace("B.example", name) + pair);
      boolean isGood = !name.startsWith("*.x"); // a star stands for one label
      String told = wrongWhenUsed(Files.readString(file));
      assertThat(told.equals("nothing is wrong")).as(name + told).isEqualTo(isGood);
    }
  }

  @Test
  void aFullDiskOfTheLogIsToldAsTheServersMessage() throws Exception {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "needs /dev/full, a device every write to which fails");
    Path file = write("directory = \"public\"\n[server]\naccess-log = \"/dev/full\"\n");
    SiteOptions options = SiteOptions.read(file);
    options.set("port", "0");
    try (SiteServer server = SiteServer.start(options, print::println)) {
      assertThat(ask(server, "x", "/")).endsWith("home");
      Await.untilAsserted(() ->
          assertThat(bytes.toString(StandardCharsets.UTF_8))
              .startsWith("access log /dev/full cannot be written")
              .contains("Fix: make room"));
    }
  }

  private static final String WHOLE =
      """
      directory = "public"
      clean-urls = true
      error-pages = { 404 = "errors/404.html" }

      [[header]]
      path = "/*"
      set = { X-Content-Type-Options = "nosniff" }

      [[redirect]]
      from = "/old/*"
      to = "/new/*"

      [[host]]
      names = ["example.com"]
      directory = "example"

      [[host.access]]
      path = "/admin"
      users = "users"
      realm = "staff"
      """;

  private static String reload(SiteServer server, boolean isGood) {
    List<String> lines = new ArrayList<>();
    assertThat(server.reload(lines::add)).isEqualTo(isGood);
    return String.join("\n", lines);
  }

  private static String ask(SiteServer server, String host, String path, String... fields)
      throws IOException {
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), server.http().server().port())) {
      socket.setSoTimeout(60_000);
      String more = String.join("", Stream.of(fields).map(each -> each + "\r\n").toList());
      String request =
          "GET "
              + path
              + " HTTP/1.1\r\nHost: "
              + host
              + "\r\nConnection: close\r\n"
              + more
              + "\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void servesWhatAFileSaysAndReadsItAgainAllOrNothing() throws Exception {
    Files.writeString(
        directory.resolve("users"),
        "# staff\nann:" + BCrypt.hashpw("sesame", BCrypt.gensalt(4)) + "\n");
    Path file = write(WHOLE);
    SiteServer.Source source =
        () -> {
          SiteOptions options = SiteOptions.read(file);
          options.set("port", "0");
          return options;
        };
    try (SiteServer server = SiteServer.start(source.read(), print::println)) {
      server.configuredBy(source);
      assertThat(ask(server, "x", "/about")).startsWith("HTTP/1.1 200").endsWith("about");
      assertThat(ask(server, "x", "/none"))
          .contains("X-Content-Type-Options: nosniff\r\n")
          .endsWith("not here");
      assertThat(ask(server, "x", "/old/a")).contains("Location: /new/a\r\n");
      assertThat(ask(server, "Example.com:80", "/")).endsWith("example");
      assertThat(ask(server, "example.com", "/admin/"))
          .startsWith("HTTP/1.1 401")
          .contains("realm=\"staff\"");
      String pair =
          Base64.getEncoder().encodeToString("ann:sesame".getBytes(StandardCharsets.UTF_8));
      String basic = "Authorization: Basic " + pair;
      assertThat(ask(server, "example.com", "/admin/", basic)).endsWith("admin");
      assertThat(ask(server, "example.com", "/%61dmin//index.html", basic)).endsWith("admin");
      String other =
          Base64.getEncoder().encodeToString("bob:sesame".getBytes(StandardCharsets.UTF_8));
      assertThat(ask(server, "example.com", "/admin/", "Authorization: Basic " + other))
          .startsWith("HTTP/1.1 401");

      write(WHOLE.replace("nosniff", "NEW").replace("[[redirect]]", "[[redirct]]"));
      assertThat(reload(server, false))
          .contains("site.toml:9: unknown key redirct of the file. Fix: write redirect;");
      assertThat(ask(server, "x", "/")).contains("nosniff");

      write(WHOLE.replace("nosniff", "NEW") + "[server]\nloops = 2\n");
      assertThat(reload(server, false))
          .contains(":22: [server] loops is 2, and was not there when the server");
      assertThat(ask(server, "x", "/")).contains("nosniff");

      write(WHOLE.replace("nosniff", "NEW").replace("\"/new/*\"", "\"/newer/*\""));
      assertThat(reload(server, true))
          .startsWith("configuration loaded again from " + file + ": 2 sites\n");
      assertThat(ask(server, "x", "/")).contains("X-Content-Type-Options: NEW\r\n");
      assertThat(ask(server, "x", "/old/a")).contains("Location: /newer/a\r\n");
    }
  }
}
