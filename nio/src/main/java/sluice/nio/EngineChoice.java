package sluice.nio;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import sluice.http.HttpConfig;
import sluice.http.front.FrontSettings;
import sluice.http.front.KeptReplies;
import sluice.nio.descriptors.JdkExport;
import sluice.nio.front.Front;
import sluice.nio.front.FrontMode;
import sluice.nio.readiness.ReadinessChannels;
import sluice.nio.readiness.ReadinessSettings;
import sluice.nio.ring.RingBudget;
import sluice.nio.ring.RingNotice;
import sluice.sys.threads.ModuleOption;

/// The engine that was chosen for this JVM, and the reason for the choice. The choice is made once,
/// by the first thread that needs a channel.
///
/// System properties: `sluice.nio.engine` names an engine or is `auto`. `sluice.nio.threshold` is
/// the number of interest changes that are deferred until the next select.
/// `sluice.nio.coalescing=false` prevents the readiness engine from delaying waits.
/// `sluice.nio.memory` is the total memory of all rings in MiB, from 16 to 1024, or 0 to disable
/// rings. `sluice.nio.stats=true` prints the counters of the readiness engine when the JVM exits.
/// `sluice.nio.static` names a directory whose files are served in front of the application,
/// `sluice.nio.static.log` names a file to which a line is appended for each of these replies, and
/// `sluice.nio.static.log.format` is the format of these lines. `sluice.nio.cache` is the number of
/// MiB for caching the application's cacheable replies, and `sluice.nio.cache.rules` names paths
/// whose replies are cached even if their headers do not permit caching. `sluice.nio.quiet=true`
/// suppresses the line that reports the choice.
///
/// @param engine the chosen engine
/// @param why the reason, as a clause of a message
record EngineChoice(NioEngine engine, String why) {
  static final String ENGINE = "sluice.nio.engine";
  static final String THRESHOLD = "sluice.nio.threshold";
  static final String COALESCING = "sluice.nio.coalescing";
  static final String STATS = "sluice.nio.stats";
  static final String STATIC = "sluice.nio.static";
  static final String LOG = "sluice.nio.static.log";
  static final String LOG_FORMAT = "sluice.nio.static.log.format";
  static final String FRONT = "sluice.nio.front";
  static final String CACHE = "sluice.nio.cache";
  static final String CACHE_RULES = "sluice.nio.cache.rules";
  static final String QUIET = RingNotice.QUIET;

  private static final int MAX_THRESHOLD = 1 << 20;
  private static final int MAX_CACHE_MIB = 4096;

  /// Chooses an engine.
  ///
  /// @param properties returns the value of a system property, or null if it is not set
  /// @param provider the provider that Sluice's own channels report
  /// @throws IllegalArgumentException if a property has an invalid value
  /// @throws IllegalStateException if the named engine cannot work in this JVM
  static EngineChoice make(UnaryOperator<@Nullable String> properties, SelectorProvider provider) {
    // Validates the value even if the chosen engine does not use it.
    int memory = RingBudget.mib(properties);
    ReadinessSettings settings =
        new ReadinessSettings(
            threshold(properties.apply(THRESHOLD)),
            flag(properties, COALESCING, true),
            flag(properties, STATS, false));
    boolean _ = flag(properties, QUIET, false);
    String wanted = properties.apply(ENGINE);
    String files = properties.apply(STATIC);
    if (files != null) {
      return inFront(files, wanted, properties, provider);
    }
    for (String log : new String[] {LOG, LOG_FORMAT}) {
      if (properties.apply(log) != null) {
        throw new IllegalArgumentException(
            "-D%s is for a line for each file that is answered. Fix: -D%s=DIR."
                .formatted(log, STATIC));
      }
    }
    if (properties.apply(CACHE) != null || properties.apply(CACHE_RULES) != null) {
      throw new IllegalArgumentException(
          "-D%s keeps replies where files are answered. Fix: -D%s=DIR, which may be empty."
              .formatted(CACHE, STATIC));
    }
    if (wanted == null || wanted.equals("auto")) {
      return JdkExport.isExported()
          ? new EngineChoice(
              readiness(settings), "chosen because java.base exports sun.nio.ch to us")
          : new EngineChoice(
              new CompletionEngine(provider),
              "chosen because java.base does not export sun.nio.ch to us"
                  + withoutRings(memory, CompletionEngine.unavailable()));
    }
    String why = "named by -D" + ENGINE;
    return switch (wanted) {
      case "readiness" -> new EngineChoice(readiness(settings), why);
      case "completion" ->
          new EngineChoice(
              completion(provider, CompletionEngine.unavailable()),
              why + withoutRings(memory, null));
      case "jdk" -> new EngineChoice(jdk(), why);
      default ->
          throw new IllegalArgumentException(
              "-D"
                  + ENGINE
                  + "="
                  + wanted
                  + ": no such engine. Fix: use auto, readiness, completion or jdk.");
    };
  }

  /// Creates the engine that uses Sluice's own channels behind a front with the files of a
  /// directory.
  private static EngineChoice inFront(
      String files,
      @Nullable String wanted,
      UnaryOperator<@Nullable String> properties,
      SelectorProvider provider) {
    if (wanted != null && !wanted.equals("auto") && !wanted.equals("completion")) {
      throw new IllegalArgumentException(
          "-D%s=%s with -D%s: files in front of an application need our own channels."
                  .formatted(ENGINE, wanted, STATIC)
              + " Fix: leave "
              + wanted
              + " out.");
    }
    Path directory = Path.of(files);
    if (!Files.isDirectory(directory)) {
      throw new IllegalArgumentException(
          "-D" + STATIC + "=" + files + ": no such directory. Fix: name the one with the files.");
    }
    FrontSettings settings =
        FrontSettings.DEFAULT
            .withReplies(replies(properties.apply(CACHE), properties.apply(CACHE_RULES)))
            .withAccessLog(accessLog(properties.apply(LOG)))
            .withLogFormat(logFormat(properties.apply(LOG_FORMAT), properties.apply(LOG)));
    Front front =
        new Front(
            directory,
            settings,
            frontMode(properties.apply(FRONT)),
            flag(properties, QUIET, false));
    return new EngineChoice(
        CompletionEngine.behind(front, provider), "without rings, because of -D" + STATIC);
  }

  /// Returns the path of the access log after checking that it can be written, so that a problem is
  /// reported at startup rather than when the first client connects.
  private static @Nullable Path accessLog(@Nullable String file) {
    if (file == null) {
      return null;
    }
    Path log = Path.of(file);
    try (FileChannel _ =
        FileChannel.open(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      return log;
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "-D%s=%s cannot be written: %s. Fix: name a file in a directory that there is."
              .formatted(LOG, file, e),
          e);
    }
  }

  private static String logFormat(@Nullable String format, @Nullable String file) {
    if (format == null) {
      return FrontSettings.DEFAULT.logFormat();
    }
    if (file == null) {
      throw new IllegalArgumentException(
          "-D%s without a log. Fix: -D%s=FILE.".formatted(LOG_FORMAT, LOG));
    }
    try {
      HttpConfig.checkLogFormat(format);
      return format;
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "-D%s=%s: %s. Fix: write one of these.".formatted(LOG_FORMAT, format, e.getMessage()), e);
    }
  }

  private static @Nullable KeptReplies replies(@Nullable String mib, @Nullable String rules) {
    if (mib == null) {
      if (rules != null) {
        throw new IllegalArgumentException(
            "-D%s without -D%s=MIB, how much is kept. Fix: name it, as 16."
                .formatted(CACHE_RULES, CACHE));
      }
      return null;
    }
    long wanted = mib.matches("[0-9]{1,9}") ? Long.parseLong(mib) : 0;
    if (wanted < 1 || wanted > MAX_CACHE_MIB) {
      throw new IllegalArgumentException(
          "-D%s=%s: no number of MiB from 1 to %d. Fix: name one."
              .formatted(CACHE, mib, MAX_CACHE_MIB));
    }
    try {
      List<KeptReplies.Rule> parsed = rules == null ? List.of() : KeptReplies.Rule.parse(rules);
      return FrontReplies.keepIn(new KeptReplies(wanted << 20, parsed));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("-D" + CACHE_RULES + ": " + e.getMessage(), e);
    }
  }

  private static FrontMode frontMode(@Nullable String name) {
    return switch (name) {
      case null -> FrontMode.AUTO;
      case "auto" -> FrontMode.AUTO;
      case "owner" -> FrontMode.OWNER;
      case "companion" -> FrontMode.COMPANION;
      default ->
          throw new IllegalArgumentException(
              "-D%s=%s: no such mode. Fix: use auto, owner or companion.".formatted(FRONT, name));
    };
  }

  /// Returns a line that describes the choice.
  String line() {
    return "sluice.nio: engine " + engine.name() + ", " + why + " (-D" + QUIET + "=true: not said)";
  }

  /// Returns the notice to print if a completion engine has no rings, or an empty string if it has
  /// some.
  ///
  /// @param memory the memory of all rings in MiB
  /// @param unavailable the reason why no ring can be used, or null if rings are available
  static String withoutRings(int memory, @Nullable String unavailable) {
    if (memory == 0) {
      return ", without rings because of -D" + RingBudget.PROPERTY + "=0";
    }
    return unavailable == null
        ? ""
        : ", without rings because of "
            + unavailable.lines().findFirst().orElse("io_uring")
            + " ('sluice doctor' tells the fix)";
  }

  private static NioEngine readiness(ReadinessSettings settings) {
    requireExport("the readiness engine");
    return new DelegatingEngine(ReadinessChannels.NAME, ReadinessChannels.open(settings));
  }

  /// Returns the engine that uses Sluice's own channels, for an application that named it
  /// explicitly. The call fails if rings are unavailable, because the engine would then have no
  /// advantage over the JDK's channels.
  ///
  /// @param unavailable the reason why no ring can be used, including its fix, or null if rings are
  ///   available
  static NioEngine completion(SelectorProvider provider, @Nullable String unavailable) {
    if (unavailable != null) {
      String reason =
          unavailable.replaceFirst("(?s)\\s*Fix: .*", "").replaceFirst("\\.?\\s+Why: ", ": ");
      throw new IllegalStateException(
          """
          sluice.nio cannot use the completion engine, which needs io_uring
            Why: %s
            Fix: allow io_uring ('sluice doctor' tells how), or -D%s=auto, which does without\
          """
              .formatted(reason, ENGINE));
    }
    return new CompletionEngine(provider);
  }

  private static NioEngine jdk() {
    if (JdkExport.isExported()) {
      return new DelegatingEngine("jdk", JdkProvider.find());
    }
    // The provider is null while this call is itself creating the JVM's default provider.
    SelectorProvider found = SelectorProvider.provider();
    if (found == null || found instanceof SluiceSelectorProvider) {
      requireExport("the JDK's own provider, when this one is the JVM's default");
    }
    return new DelegatingEngine("jdk", found);
  }

  private static void requireExport(String what) {
    if (!JdkExport.isExported()) {
      throw new IllegalStateException(
          "sluice.nio cannot use "
              + what
              + "\n  Why: java.base does not export sun.nio.ch to "
              + (EngineChoice.class.getModule().isNamed() ? "module sluice.nio" : "the class path")
              + "\n  Fix: start java with "
              + ModuleOption.to("--add-exports java.base/sun.nio.ch", EngineChoice.class)
              + ", with -javaagent:sluice-agent.jar, or through 'sluice run'");
    }
  }

  /// Returns the value of a boolean property.
  ///
  /// @throws IllegalArgumentException if the value is neither `true` nor `false`
  static boolean flag(UnaryOperator<@Nullable String> properties, String name, boolean otherwise) {
    String text = properties.apply(name);
    if (text != null && !text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException("-D" + name + "=" + text + ": not true or false.");
    }
    return text == null ? otherwise : text.equals("true");
  }

  private static int threshold(@Nullable String text) {
    if (text == null) {
      return ReadinessSettings.DEFAULT.threshold();
    }
    if (text.matches("[0-9]{1,7}")) {
      int value = Integer.parseInt(text);
      if (value >= 1 && value <= MAX_THRESHOLD) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        "-D" + THRESHOLD + "=" + text + ": not a number from 1 to " + MAX_THRESHOLD + ".");
  }

  /// Isolates the references to the JDK's class, so that the class is only loaded once it is known
  /// to be accessible.
  private static final class JdkProvider {
    static SelectorProvider find() {
      return sun.nio.ch.DefaultSelectorProvider.get();
    }
  }
}
