import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVRecord;
import org.apache.commons.text.StringSubstitutor;
import org.apache.commons.validator.routines.EmailValidator;
import org.apache.commons.validator.routines.RegexValidator;
import sluice.http.plugin.HttpPlugin;
import sluice.http.plugin.PluginReply;
import sluice.http.plugin.PluginRequest;

/// A search service whose libraries are plug-ins of `sluice serve`, each in a domain with a budget:
/// Commons CSV searches a table, Commons Text fills a page, Commons Validator filters addresses by
/// its regular expressions. A hostile version of each is loaded, held by its budget, killed and
/// replaced while clients ask for a static file, whose percentiles are printed for each stage.
///
/// The libraries are as Maven Central has them: a plug-in's jar is the library and one class of
/// this file.
///
/// Run: `./sluice example search`
public final class Search {
  private static final int SECONDS = Integer.getInteger("search.seconds", 4);
  private static final Map<String, Class<?>[]> PLUGINS =
      new TreeMap<>(
          Map.of(
              "csv", new Class<?>[] {Csv.class, EndlessCsv.class},
              "page", new Class<?>[] {Page.class, EndlessPage.class},
              "filter", new Class<?>[] {Filter.class, BacktrackingFilter.class}));
  private static final Map<String, List<String>> LIBRARIES =
      Map.of(
          "csv", List.of("commons-csv-", "commons-io-", "commons-codec-"),
          "page", List.of("commons-text-", "commons-lang3-"),
          "filter", List.of("commons-validator-"));

  /// Searches a table that it reads for each request.
  public static class Csv implements HttpPlugin {
    private final String table;

    public Csv() {
      StringBuilder rows = new StringBuilder("name,colour\n");
      for (int i = 0; i < 500; i++) {
        rows.append("\"thing, ").append(i).append("\",").append(i % 2 == 0 ? "red" : "blue");
        rows.append('\n');
      }
      table = rows.toString();
    }

    @Override
    public PluginReply handle(PluginRequest request) throws Exception {
      String wanted = request.query() == null ? "" : request.query();
      StringBuilder found = new StringBuilder();
      CSVFormat format = CSVFormat.DEFAULT.builder().setHeader().setSkipHeaderRecord(true).get();
      for (CSVRecord each : format.parse(table())) {
        if (each.get("name").endsWith(wanted)) {
          found.append(each.get("name")).append(' ').append(each.get("colour")).append('\n');
        }
      }
      return PluginReply.text(found.toString());
    }

    Reader table() {
      return new StringReader(table);
    }
  }

  /// Gives the parser a table without end: the library reads for ever.
  public static final class EndlessCsv extends Csv {
    @Override
    Reader table() {
      return new Reader() {
        @Override
        public int read(char[] to, int from, int length) {
          Arrays.fill(to, from, from + length, ',');
          return length;
        }

        @Override
        public void close() {}
      };
    }
  }

  /// Fills a page with results.
  public static class Page implements HttpPlugin {
    @Override
    public PluginReply handle(PluginRequest request) {
      StringBuilder text = new StringBuilder("<ul>");
      for (int i = 0; i < 50; i++) {
        text.append("<li>${name").append(i).append("}: ${colour").append(i % 2).append("}</li>");
      }
      String page = new StringSubstitutor(this::value).replace(text.append("</ul>\n"));
      return PluginReply.of(200, "text/html; charset=utf-8", page.getBytes());
    }

    String value(String name) {
      return name.equals("colour0") ? "red" : name.equals("colour1") ? "blue" : "a " + name;
    }
  }

  /// Gives the template values that name two more values each: the library's work doubles with
  /// each level.
  public static final class EndlessPage extends Page {
    @Override
    String value(String name) {
      return name.length() < 60 ? "${" + name + "x}${" + name + "x}" : "";
    }
  }

  /// Lets addresses pass that are valid.
  public static class Filter implements HttpPlugin {
    @Override
    public PluginReply handle(PluginRequest request) {
      int valid = 0;
      for (int i = 0; i < 50; i++) {
        String address = "user." + i + (i % 5 == 0 ? "@@" : "@") + "mail" + i + ".example.org";
        valid += isValid(address) ? 1 : 0;
      }
      return PluginReply.text(valid + " valid\n");
    }

    boolean isValid(String address) {
      return EmailValidator.getInstance().isValid(address);
    }
  }

  /// Gives the library an expression whose work doubles with each letter.
  public static final class BacktrackingFilter extends Filter {
    @Override
    boolean isValid(String address) {
      return new RegexValidator("(a+a+)+\\1b").isValid("a".repeat(120));
    }
  }

  private final List<String> sluice;
  private final Path directory;
  private final int port;
  private final List<Long> nanos = new ArrayList<>();
  private final Map<String, LongAdder> replies = new ConcurrentHashMap<>();
  private volatile boolean ended;
  private volatile String problem = "";

  private Search(List<String> sluice, Path directory, int port) {
    this.sluice = sluice;
    this.directory = directory;
    this.port = port;
  }

  /// @param args the command that is `sluice`, if not the one that runs this
  public static void main(String[] args) throws Exception {
    List<String> sluice =
        args.length > 0 ? List.of(args) : List.of(System.getProperty("sluice.command", "sluice"));
    Path directory = Files.createTempDirectory("sluice-search");
    Process server = null;
    boolean isGood = false;
    try {
      Path site = Files.createDirectory(directory.resolve("site"));
      Files.writeString(site.resolve("index.html"), "<p>static</p>\n".repeat(100));
      for (String name : PLUGINS.keySet()) {
        pack(directory, name, 0);
      }
      List<String> command = new ArrayList<>(sluice);
      command.addAll(List.of("serve", site.toString(), "--port", "0"));
      for (String name : PLUGINS.keySet()) {
        command.addAll(List.of("--plugin", "/" + name + "=" + directory.resolve(name + ".jar")));
        command.addAll(List.of("--plugin-restart", "never"));
      }
      command.addAll(List.of("--budget", "cpu=20%,alloc=50MB/s,threads=4"));
      command.addAll(List.of("--plugin-timeout", "1"));
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().put("SLUICE_RUN_DIR", directory.resolve("run").toString());
      server = builder.redirectError(directory.resolve("log").toFile()).start();
      String line = server.inputReader().readLine();
      if (line == null || !line.contains(":")) {
        throw new IllegalStateException(
            "the server did not start: " + Files.readString(directory.resolve("log")));
      }
      int port = Integer.parseInt(line.replaceFirst(".*http://[^/]*:([0-9]+)/.*", "$1"));
      isGood = new Search(sluice, directory, port).run(server);
    } finally {
      if (server != null) {
        server.destroy();
        server.waitFor();
      }
      try (var files = Files.walk(directory)) {
        for (Path each : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(each);
        }
      }
    }
    System.exit(isGood ? 0 : 1);
  }

  /// Makes the jar of a plug-in: the library, and a class of this file.
  private static void pack(Path directory, String name, int version) throws Exception {
    Class<?> plugin = PLUGINS.get(name)[version];
    Path made = directory.resolve(name + ".new");
    try (JarOutputStream to = new JarOutputStream(Files.newOutputStream(made))) {
      for (String library : LIBRARIES.get(name)) {
        copy(library(library), to);
      }
      for (String file : files(PLUGINS.get(name))) {
        try (InputStream code = Search.class.getResourceAsStream(file)) {
          if (code != null) {
            to.putNextEntry(new JarEntry(file));
            code.transferTo(to);
          }
        }
      }
      to.putNextEntry(new JarEntry("META-INF/services/" + HttpPlugin.class.getName()));
      to.write(plugin.getName().getBytes());
    }
    Files.move(made, directory.resolve(name + ".jar"), StandardCopyOption.ATOMIC_MOVE);
  }

  private static void copy(Path library, JarOutputStream to) throws Exception {
    try (JarFile from = new JarFile(library.toFile())) {
      for (JarEntry entry : (Iterable<JarEntry>) from.stream()::iterator) {
        if (!entry.getName().startsWith("META-INF/") && !entry.isDirectory()) {
          to.putNextEntry(new JarEntry(entry.getName()));
          try (InputStream in = from.getInputStream(entry)) {
            in.transferTo(to);
          }
        }
      }
    }
  }

  private static List<String> files(Class<?>[] classes) {
    List<String> files = new ArrayList<>();
    for (Class<?> each : classes) {
      files.add(each.getName() + ".class");
      files.add(each.getName() + "$1.class");
    }
    return files;
  }

  private static Path library(String prefix) {
    for (String entry : System.getProperty("java.class.path").split(":")) {
      Path path = Path.of(entry);
      if (String.valueOf(path.getFileName()).startsWith(prefix)) {
        return path;
      }
    }
    throw new IllegalStateException(
        "no library " + prefix + "*.jar on the class path. Fix: sluice example search");
  }

  /// The stages, each with its line.
  private boolean run(Process server) throws Exception {
    List<Thread> clients = new ArrayList<>();
    clients.add(Thread.ofPlatform().start(this::askForFile));
    for (String name : PLUGINS.keySet()) {
      clients.add(Thread.ofPlatform().start(() -> askPlugin(name)));
    }
    System.out.println("stage                                  static p50    p99  |  replies");
    boolean isGood = true;
    stage(null, "warming");
    isGood &= allAnswer(stage("good libraries", null));
    load(server, 1);
    isGood &= noneAnswers(stage("hostile versions, held by the budget", null));
    for (String name : PLUGINS.keySet()) {
      isGood &= command("domain", "kill", name, "--pid", Long.toString(server.pid())) == 0;
    }
    isGood &= noneAnswers(stage("killed by sluice domain kill", null));
    load(server, 0);
    stage(null, "settling");
    isGood &= allAnswer(stage("replaced by the good ones", null));
    ended = true;
    for (Thread each : clients) {
      each.join();
    }
    if (!problem.isEmpty()) {
      System.out.println("a static request failed: " + problem);
    }
    isGood &= problem.isEmpty();
    if (!isGood) {
      System.out.println(Files.readString(directory.resolve("log")));
    }
    System.out.println(
        isGood ? "all stages were as they should be" : "NOT as it should be; see the lines above");
    return isGood;
  }

  private static boolean allAnswer(Map<String, LongAdder> seen) {
    return PLUGINS.keySet().stream().allMatch(name -> seen.containsKey(name + " 200"));
  }

  private static boolean noneAnswers(Map<String, LongAdder> seen) {
    return PLUGINS.keySet().stream().noneMatch(name -> seen.containsKey(name + " 200"));
  }

  /// Overwrites the jars, and has the server load them.
  private void load(Process server, int version) throws Exception {
    for (String name : PLUGINS.keySet()) {
      pack(directory, name, version);
    }
    if (command("reload", Long.toString(server.pid())) != 0) {
      throw new IllegalStateException("a plug-in was not loaded again; see the server's log");
    }
    Thread.sleep(1_200); // requests of before have been answered, or are given up
  }

  /// Runs a `sluice` command on the server.
  ///
  /// @return its exit code
  private int command(String... words) throws Exception {
    List<String> command = new ArrayList<>(sluice);
    command.addAll(List.of(words));
    command.add("--dir=" + directory.resolve("run"));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  /// Lets the clients ask for some seconds, and tells what they saw.
  private Map<String, LongAdder> stage(String name, String silent) throws InterruptedException {
    synchronized (nanos) {
      nanos.clear();
    }
    replies.clear();
    Thread.sleep(SECONDS * 1_000L);
    boolean areGood = name == null || name.contains("good");
    long deadline = System.nanoTime() + 60_000_000_000L;
    while (areGood && !allAnswer(replies) && System.nanoTime() < deadline) {
      Thread.sleep(50); // a busy machine compiles the libraries within their budget
    }
    long[] sorted;
    synchronized (nanos) {
      sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
    }
    Map<String, LongAdder> seen = new TreeMap<>(replies);
    if (silent == null) {
      System.out.printf(
          "%-38s %7.0f us %7.0f us  |  %s%n",
          name, at(sorted, 0.5), at(sorted, 0.99), seen);
    }
    return seen;
  }

  private static double at(long[] sorted, double part) {
    return sorted.length == 0 ? Double.NaN : sorted[(int) (part * (sorted.length - 1))] / 1e3;
  }

  private void askForFile() {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setTcpNoDelay(true);
      while (!ended) {
        long begin = System.nanoTime();
        int status = ask(socket, "/index.html");
        long took = System.nanoTime() - begin;
        if (status != 200) {
          throw new IllegalStateException("status " + status);
        }
        synchronized (nanos) {
          nanos.add(took);
        }
        Thread.sleep(1);
      }
    } catch (Exception e) {
      problem = e.toString();
    }
  }

  private void askPlugin(String name) {
    while (!ended) {
      try (Socket socket = new Socket("127.0.0.1", port)) {
        while (!ended) {
          int status = ask(socket, "/" + name + "?7");
          replies.computeIfAbsent(name + " " + status, _ -> new LongAdder()).increment();
          Thread.sleep(5);
        }
      } catch (Exception e) {
        replies.computeIfAbsent(name + " " + e, _ -> new LongAdder()).increment();
      }
    }
  }

  /// One request; gives the status when the whole reply has come.
  private static int ask(Socket socket, String path) throws Exception {
    socket
        .getOutputStream()
        .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes());
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IllegalStateException("the server closed the connection");
      }
      head.append((char) next);
    }
    String text = head.toString();
    String length = text.replaceFirst("(?is).*content-length: *([0-9]+).*", "$1");
    in.skipNBytes(Integer.parseInt(length));
    return Integer.parseInt(text.substring(9, 12));
  }
}
