package sluice.cli.compare;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import sluice.cli.console.Child;
import sluice.host.text.TerminalText;

/// Finds the URLs of an application. The application is started, and `/` is requested on each port
/// of the application and its children. The result consists of these pages and of the images,
/// scripts and styles that they load from the same server. Links are not followed, because
/// following a link may log the user out or order something. Instances are confined to the main
/// thread.
///
/// @param launcher the `sluice` script
/// @param application the JVM options, the jar and the arguments of the application
record UrlSearch(String launcher, List<String> application) {
  static final int MOST_URLS = 32;

  private static final int MOST_BYTES = 1 << 20;
  private static final int MOST_REDIRECTS = 5;
  private static final int TIMEOUT_MILLIS = 5_000;
  private static final int START_SECONDS = 120;

  /// The time without a new port after which the search is completed. An application may open
  /// several ports in sequence.
  private static final int QUIET_SECONDS = 2;

  /// The time during which errors are tolerated, because a port may respond with errors while the
  /// application is starting.
  private static final int REFUSED_SECONDS = 15;

  private static final Pattern LOADED =
      Pattern.compile(
          "(?is)<(?:img|script)\\b[^>]{0,1000}?\\ssrc\\s*=\\s*[\"']([^\"'#]{1,1000})[\"'#]"
              + "|<link\\b[^>]{0,1000}?\\shref\\s*=\\s*[\"']([^\"'#]{1,1000})[\"'#]");

  /// The response to a request for a URL.
  ///
  /// @param status the HTTP status, or 0 if the response is not HTTP
  private record Page(URI url, int status, String body, @Nullable String location) {
    boolean isGood() {
      return status >= 200 && status < 300;
    }

    @Override
    public String toString() {
      return url + (status == 0 ? " does not speak HTTP" : " answers " + status);
    }
  }

  /// Returns at least one URL. Each URL is answered with a status from 200 to 299.
  ///
  /// @param progress a consumer that receives a line for each result
  /// @throws IOException if there are no such URLs; the message contains the responses instead
  List<URI> find(Consumer<String> progress) throws IOException, InterruptedException {
    progress.accept("no load is named: looking for URLs of the application");
    List<String> command = new ArrayList<>(List.of(launcher, "run", "--backend", "jdk"));
    command.addAll(application);
    Path log = Files.createTempFile("sluice-compare", ".log");
    log.toFile().deleteOnExit();
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try (Child _ = new Child(process)) {
      Set<URI> urls = new LinkedHashSet<>();
      for (Page page : await(process, log)) {
        if (page.isGood() && urls.size() < MOST_URLS) {
          urls.add(page.url);
          urls.addAll(loadedBy(page, MOST_URLS - urls.size()));
        }
      }
      urls.forEach(url -> progress.accept("found " + TerminalText.line(url.toString())));
      return List.copyOf(urls);
    } finally {
      Files.deleteIfExists(log);
    }
  }

  /// Waits until a port responds with a page and no more ports are opened.
  private static List<Page> await(Process process, Path log)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    long change = start;
    Set<InetSocketAddress> known = Set.of();
    Map<InetSocketAddress, Page> pages = new LinkedHashMap<>();
    while (process.isAlive()) {
      Set<InetSocketAddress> now = listening(process.toHandle());
      long time = System.nanoTime();
      change = now.equals(known) ? change : time;
      known = now;
      pages.keySet().retainAll(now);
      for (InetSocketAddress each : now) {
        Page before = pages.get(each);
        if (before == null || !before.isGood()) {
          pages.put(each, front(each));
        }
      }
      boolean isFound = pages.values().stream().anyMatch(Page::isGood);
      long quiet = TimeUnit.NANOSECONDS.toSeconds(time - change);
      if (isFound && quiet >= QUIET_SECONDS) {
        return List.copyOf(pages.values());
      }
      boolean isRefused = !now.isEmpty() && quiet >= REFUSED_SECONDS;
      if (isRefused || TimeUnit.NANOSECONDS.toSeconds(time - start) >= START_SECONDS) {
        throw none(pages, log);
      }
      Thread.sleep(200);
    }
    throw new IOException("the application did not start:\n" + CompareRounds.tail(log));
  }

  private static IOException none(Map<InetSocketAddress, Page> pages, Path log) throws IOException {
    String found =
        pages.isEmpty()
            ? "it listens on no port of TCP"
            : String.join("; ", pages.values().stream().map(Page::toString).toList());
    return new IOException(
        "no URL of the application was found: "
            + TerminalText.line(found)
            + ". Fix: name some by --load FILE, or a command by --load-command. It says:\n"
            + CompareRounds.tail(log));
  }

  private static Set<InetSocketAddress> listening(ProcessHandle root) {
    Set<InetSocketAddress> all = new LinkedHashSet<>();
    Stream.concat(Stream.of(root), root.descendants())
        .forEach(each -> all.addAll(ListeningSockets.of(Path.of("/proc/" + each.pid()))));
    return all;
  }

  /// Requests the front page of a port. Redirects within the same server are followed.
  private static Page front(InetSocketAddress address) throws InterruptedException {
    URI url = url(address);
    Page page = ask(url);
    for (int i = 0; i < MOST_REDIRECTS && page.location != null; i++) {
      URI next = within(page.url, page.location);
      if (next == null) {
        break;
      }
      page = ask(next);
    }
    return page;
  }

  private static URI url(InetSocketAddress address) {
    InetAddress ip = address.getAddress();
    String host = ip.isAnyLocalAddress() ? "127.0.0.1" : ip.getHostAddress();
    String bracketed = host.contains(":") ? "[" + host.replaceFirst("%.*", "") + "]" : host;
    return URI.create("http://" + bracketed + ":" + address.getPort() + "/");
  }

  /// Returns the URL of a reference in a page, or null if the URL is on another server or is not
  /// valid.
  private static @Nullable URI within(URI page, String reference) {
    try {
      URI url = page.resolve(reference.strip().replace("&amp;", "&"));
      boolean isHere =
          "http".equals(url.getScheme()) && page.getAuthority().equals(url.getAuthority());
      return isHere ? url : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static Set<URI> loadedBy(Page page, int most) throws InterruptedException {
    Set<URI> found = new LinkedHashSet<>();
    Set<URI> asked = new HashSet<>(Set.of(page.url));
    Matcher matcher = LOADED.matcher(page.body);
    while (found.size() < most && asked.size() < 2 * MOST_URLS && matcher.find()) {
      URI url = within(page.url, matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
      if (url != null && asked.add(url) && ask(url).isGood()) {
        found.add(url);
      }
    }
    return found;
  }

  private static Page ask(URI url) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    HttpURLConnection connection = null;
    try {
      connection = (HttpURLConnection) url.toURL().openConnection(java.net.Proxy.NO_PROXY);
      connection.setConnectTimeout(TIMEOUT_MILLIS);
      connection.setReadTimeout(TIMEOUT_MILLIS);
      connection.setInstanceFollowRedirects(false);
      int status = Math.max(0, connection.getResponseCode());
      boolean hasBody = status >= 200 && status < 300;
      byte[] body = hasBody ? connection.getInputStream().readNBytes(MOST_BYTES) : new byte[0];
      boolean isMoved = status >= 300 && status < 400;
      String location = isMoved ? connection.getHeaderField("Location") : null;
      return new Page(url, status, new String(body, StandardCharsets.ISO_8859_1), location);
    } catch (IOException e) {
      return new Page(url, 0, "", null);
    } finally {
      if (connection != null) {
        connection.disconnect();
      }
    }
  }
}
