package sluice.host.plugin;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import sluice.domain.Domain;
import sluice.http.handlers.HttpMessage;
import sluice.http.handlers.HttpResponder;
import sluice.http.handlers.HttpSlowHandler;
import sluice.http.plugin.PluginReply;
import sluice.http.plugin.PluginRequest;
import sluice.sys.threads.HostThread;
import sluice.sys.threads.Uninterrupted;

/// One plug-in of a server: the slow handler of its route, and the domain that answers now. Any
/// number of threads may be in [#handle]; [#reload] and [#close] exclude each other.
///
/// Requests and replies are copied, once each, and no portal is in between: both are plain data,
/// and a portal would run the call in a thread that is not the domain's.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | current | holder of `this` | volatile | volatile |
/// | ending | holder of `this` | volatile | volatile |
final class Plugin implements HttpSlowHandler, AutoCloseable {
  private static final Duration LOOK_AFTER = Duration.ofMillis(500);

  private final PluginOption option;
  private final Path directory;
  private final Duration limit;
  private final PluginLog log;
  private final String name;
  private volatile PluginDomain current;
  private volatile boolean ending;

  private Plugin(PluginOption option, Path directory, Duration limit, PluginLog log)
      throws IOException {
    this.option = option;
    this.directory = directory;
    this.limit = limit;
    this.log = log;
    current = load();
    name = current.domain().name();
    watch(current);
  }

  /// @param directory for copies of jars
  /// @throws IOException with path, jar, class, method, why and fix
  static Plugin load(PluginOption option, Path directory, Duration limit, Consumer<String> lines)
      throws IOException {
    return new Plugin(option, directory, limit, new PluginLog(option.prefix(), lines));
  }

  private PluginDomain load() throws IOException {
    return PluginDomain.load(option, freeName(), directory, limit);
  }

  /// The prefix as a name of a domain, with a number if a domain lives that has it.
  private String freeName() {
    Set<String> taken = Domain.living().stream().map(Domain::name).collect(Collectors.toSet());
    String plain = option.prefix().replaceAll("^/|/$", "").replaceAll("[^A-Za-z0-9._-]", "_");
    String base = plain.isEmpty() ? "root" : plain.substring(0, Math.min(48, plain.length()));
    String free = base;
    for (int number = 2; taken.contains(free); number++) {
      free = base + "-" + number;
    }
    return free;
  }

  /// Looks at all classes of the jar, in a thread of its own and a little later: a start does not
  /// wait for it, and its first requests do not share the processors with it.
  void look() {
    look(current);
  }

  private void look(PluginDomain loaded) {
    HostThread.daemon(
            "check-" + name,
            () -> {
              Uninterrupted.sleep(LOOK_AFTER);
              warn(loaded);
            })
        .start();
  }

  private void warn(PluginDomain loaded) {
    try {
      String refused = loaded.admission().admit(limit);
      if (refused != null && current == loaded && !ending) {
        log.tell("answers on threads of its domain, and not on the loop's: " + refused);
      }
      String warning = loaded.warning();
      if (warning != null && current == loaded) {
        log.tell(warning);
      }
    } catch (IOException | RuntimeException e) {
      if (current == loaded && !ending) {
        log.tell("what would be refused of it later is not known: " + e.getMessage());
      }
    }
  }

  private void watch(PluginDomain loaded) {
    loaded
        .domain()
        .onEnd(() -> {
          if (current == loaded && !ending) {
            log.tell(
                "has ended: "
                    + loaded.domain().endReason()
                    + ". Its requests are answered 503 until 'sluice reload' or SIGHUP loads it"
                    + " again");
          }
        });
  }

  /// What commands call its domain.
  String name() {
    return name;
  }

  String prefix() {
    return option.prefix();
  }

  /// The version that answers now.
  PluginDomain current() {
    return current;
  }

  /// Tells that the plug-in has thrown on a loop's thread, where its text is not asked for.
  void failedOnLoop(String className) {
    log.tell("failed", "answers 500: it threw " + className);
  }

  /// The domain that answers now.
  Domain domain() {
    return current.domain();
  }

  @Override
  public void handle(HttpMessage message, HttpResponder responder)
      throws IOException, InterruptedException {
    switch (call(request(message))) {
      case PluginOutcome.Replied(PluginReply reply) -> send(reply, message, responder);
      case PluginOutcome.Failed(String why) -> fail(why, message, responder);
      case PluginOutcome.Unserved reason -> {
        log.tell(reason.name(), "answers 503: " + why(reason, message));
        responder
            .status(503)
            .field("Retry-After", "1")
            .field("Content-Type", "text/plain; charset=utf-8")
            .send("503 Service Unavailable\n");
      }
    }
  }

  private static PluginRequest request(HttpMessage message) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (String header : new TreeSet<>(message.headerNames())) {
      headers.put(header, List.copyOf(message.headers(header)));
    }
    @Nullable String path = message.path();
    return new PluginRequest(
        message.methodName(),
        path == null ? message.rawPath() : path,
        message.query(),
        Map.copyOf(headers),
        message.body());
  }

  private PluginOutcome call(PluginRequest request) throws InterruptedException {
    while (true) {
      PluginDomain now = current;
      PluginOutcome outcome = now.call(request, limit);
      if (outcome != PluginOutcome.Unserved.RETIRED || now == current) {
        return outcome;
      }
    }
  }

  private void send(PluginReply reply, HttpMessage message, HttpResponder responder)
      throws IOException {
    try {
      responder.status(reply.status());
      for (Map.Entry<String, List<String>> header : reply.headers().entrySet()) {
        for (String value : header.getValue()) {
          responder.field(header.getKey(), value);
        }
      }
    } catch (IllegalArgumentException e) {
      fail("its reply cannot be sent: " + e.getMessage(), message, responder);
      return;
    }
    boolean hasBody = reply.status() != 204 && reply.status() != 304;
    responder.send(hasBody ? reply.body() : new byte[0]);
  }

  private void fail(String why, HttpMessage message, HttpResponder responder) throws IOException {
    log.tell("failed", "answers 500 to " + message + ": " + why);
    responder.status(500).send("500 Internal Server Error\n");
  }

  private String why(PluginOutcome.Unserved reason, HttpMessage message) {
    return switch (reason) {
      case OVER_BUDGET -> "its domain " + name + " is over its budget " + option.budgetText();
      case BUSY ->
          current.threads().load()
              + ". Fix: 'sluice domain kill "
              + name
              + "' and 'sluice reload', if calls do not end";
      case LATE -> "no reply to " + message + " within " + limit.toSeconds() + " s";
      case ENDED, RETIRED -> "its domain has ended: " + domain().endReason();
    };
  }

  /// Loads the jar again if it is another one now, or if the domain has ended. The new domain
  /// answers when its plug-in is made; the one before ends when its calls are done, in a thread of
  /// its own. If the jar cannot be loaded, all stays as it was.
  ///
  /// @param told gets one line, if it was loaded or could not be
  /// @return false if it could not be loaded
  synchronized boolean reload(Consumer<String> told) {
    PluginDomain before = current;
    if (ending || before.isCurrent(option)) {
      return true;
    }
    try {
      PluginDomain next = load();
      current = next;
      watch(next);
      look();
      told.accept(log.line("was loaded again from " + option.jar()));
      Thread.ofVirtual().name("retire-" + name).start(() -> retire(before));
      return true;
    } catch (IOException e) {
      String stays = before.domain().alive() ? "stays as it was" : "stays ended";
      told.accept(log.line(stays + ": " + e.getMessage()));
      return false;
    }
  }

  private void retire(PluginDomain before) {
    try {
      before.retire(limit);
    } catch (IOException e) {
      log.tell("leaves a file behind: " + e.getMessage());
    }
  }

  @Override
  public synchronized void close() throws IOException {
    ending = true;
    current.close();
  }
}
