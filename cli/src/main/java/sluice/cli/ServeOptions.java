package sluice.cli;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.host.file.UsageException;
import sluice.host.site.SiteFile;
import sluice.host.site.SiteOptions;
import sluice.host.text.Nearest;

/// The command line of `sluice serve`. Instances are confined to the main thread.
///
/// It is parsed without picocli, which would double the startup time (see `docs/decisions/cli.md`).
final class ServeOptions {
  static final String USAGE =
      """
      Usage: sluice serve DIR [OPTIONS]
             sluice serve --config FILE [OPTIONS]
      Serves a directory over HTTP/1.1.

      The ten most used:
        --config FILE           hosts, rules and all of these from a TOML file, see docs/site.md;
                                options beside it count before it; 'sluice config check FILE' tells
                                what is wrong; SIGHUP reads it again, all or nothing
        --port N                TCP port, 0 for any free one (8080); not needed where systemd
                                passes sockets
        --host ADDRESS          address to listen on, 0.0.0.0 or :: for all (127.0.0.1)
        --listing               list directories that have no index file, sorted by a click: up to
                                10000 names, and the number of the others
        --tls-cert FILE         serve HTTPS with this certificate chain, PEM
        --tls-key FILE          its private key, PEM; may be the same file
        --plugin PATH=JAR       answer PATH and all below by the plug-in in JAR, in a domain of its
                                own; may be repeated; SIGHUP loads a changed JAR; see
                                docs/domains.md
        --budget LIST           what the plug-in named before may use, such as
                                cpu=20%,alloc=50MB/s,threads=8 (256 threads); over it: 503
        --access-log FILE       append a line per request
        --backend NAME          auto, io_uring, epoll, poll or jdk (auto)

      Files:
        --index NAME,...        files that stand for their directory (index.html,index.htm)
        --hidden                serve names that begin with a dot
        --symlinks POLICY       refuse, inside (those that stay in DIR) or follow (inside)
        --error-page CODE=FILE  body of replies with a status from 400 to 599: HTML beneath DIR,
                                such as --error-page 404=errors/404.html; may be repeated; read
                                at the start and on SIGHUP, all of them or none
        --revalidate            compare each file on each use instead of watching for changes:
                                sees changes below an overlay and mounts, costs a system call

      Compression and caches:
        --cache-mb N            most memory for ready replies in MiB, 0 for none (1/32 of the
                                machine's or the container's, 64 to 512)
        --gzip LEVEL            compress on the fly, 1 to 9, 0 for never (6)
        --zstd LEVEL            the same by zstd, 1 to 19, where libzstd is there (0)
        --compress-from BYTES   do so from this length on, to 1 MiB (256)
        --compress-types LIST   and with these media types, such as text/*,image/svg+xml (those
                                that are likely to become smaller)
        --no-precompressed      ignore NAME.br, NAME.zst and NAME.gz beside NAME
        --etag FORM             inode: exact and strong, different on each machine (default);
                                content: SHA-256, strong, the same on replicas, for files up to
                                1 MiB, others as mtime-size;
                                mtime-size: weak, the same on replicas that keep times, and on
                                two versions of one second and size
        --cache-control VALUE   value of Cache-Control on files (none)

      Plug-ins and handlers:
        --plugin-calls N        calls that it may run at once (16), and those that may wait then
        --plugin-waiting N      (64); for one more: 503
        --plugin-restart WHEN   always: end it and load it again by itself when a call does not end
                                though it was interrupted (default); never: leave that to you
        --plugin-timeout N      seconds a plug-in may take for a reply (10); after it: 503
        --handlers WHERE        virtual: slow handlers run on virtual threads of the JVM (default);
                                loop: on virtual threads that the loop's own thread carries, for
                                trusted code that waits more than it computes
        --demo                  answer /demo/hello and /demo/report by handlers

      Clients and their limits:
        --loops N               event loops, each a thread (1)
        --max-connections N     connections per loop; for one more the longest idle is closed, or it
                                is answered 503 (16384)
        --connections-per-address N  connections of one client address; one more is answered 429
        --requests-per-address N     requests a second of one client address; more are answered 429
        --burst-per-address N        requests it may send at once (a second's, at least 10)
        --proxy-protocol LIST   addresses, such as 10.0.0.0/8,::1, whose connections begin with the
                                PROXY protocol, version 1 or 2, and so name their client

      Times:
        --header-timeout N      seconds a request head may take (10)
        --idle-timeout N        seconds a connection may be idle (60)
        --send-timeout N        seconds a client may take nothing of its reply (60)
        --drain-timeout N       seconds to finish after SIGTERM (10)

      Logs and counters:
        --log-format FORMAT     combined, json, or a line such as '{address} {request} {status}',
                                see docs/site.md (combined)
        --metrics-port N        port for /metrics and /healthz on the same address (none)
      """;

  private static final String CONFIG = "--config";

  boolean help;

  final SiteOptions site = new SiteOptions();
  private final List<String> words;
  private int next;

  private ServeOptions(List<String> words) {
    this.words = words;
  }

  /// Parses the words that follow `serve`.
  ///
  /// @throws UsageException if a word is unknown, a value is missing or not valid, or DIR is
  ///   missing
  static ServeOptions parse(List<String> words) throws UsageException {
    ServeOptions options = new ServeOptions(words);
    Path config = configFile(words);
    if (config != null) {
      SiteFile.read(config, options.site);
    }
    while (options.next < words.size()) {
      options.word(words.get(options.next++));
    }
    if (!options.help) {
      options.site.directory();
    }
    return options;
  }

  /// Returns the file that is specified by `--config`, or null if there is none.
  private static @Nullable Path configFile(List<String> words) throws UsageException {
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.startsWith(CONFIG + "=")) {
        return path(word.substring(CONFIG.length() + 1));
      }
      if (word.equals(CONFIG)) {
        if (i + 1 == words.size()) {
          throw new UsageException("--config needs a value. Fix: write it behind the name");
        }
        return path(words.get(i + 1));
      }
    }
    return null;
  }

  private void word(String word) throws UsageException {
    if (word.equals("-h") || word.equals("--help")) {
      help = true;
      return;
    }
    if (!word.startsWith("-")) {
      site.serve(path(word));
      return;
    }
    int equals = word.indexOf('=');
    String name = equals < 0 ? word : word.substring(0, equals);
    if (!USAGE.contains(" " + name + " ")) {
      throw new UsageException("unknown option: " + name + Nearest.fix(name, names()));
    }
    if (site.flag(name)) {
      if (equals >= 0) {
        throw new UsageException(name + " takes no value: " + word + ". Fix: write " + name);
      }
      return;
    }
    String value = equals < 0 ? following(name) : word.substring(equals + 1);
    if (!name.equals(CONFIG)) { // --config was read before
      site.set(name, value);
    }
  }

  private static List<String> names() {
    return Pattern.compile("(?m)^  (--[a-z-]+)")
        .matcher(USAGE)
        .results()
        .map(each -> each.group(1))
        .toList();
  }

  private String following(String name) throws UsageException {
    if (next == words.size()) {
      throw new UsageException(name + " needs a value. Fix: write it behind the name");
    }
    return words.get(next++);
  }

  private static Path path(String value) throws UsageException {
    if (value.isEmpty()) { // from an unset variable; as a path it would be the current directory
      throw new UsageException("a file name is empty. Fix: set the variable that it is from");
    }
    try {
      return Path.of(value);
    } catch (InvalidPathException e) {
      throw new UsageException("not a file name: " + value + ". Fix: leave the NUL out");
    }
  }
}
