package sluice.bench.cases;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import sluice.bench.run.Peers;
import sluice.bench.run.ServerSpec;
import sluice.bench.run.Systems;
import sluice.bench.server.SelectorCheck;
import sluice.testbase.FreePort;

/// A server class on four selectors: the JDK's epoll and poll, and both engines of Sluice. A system
/// may have a batching threshold, as in `sluice/readiness threshold=16`. Immutable.
///
/// @param main the server's class
/// @param arguments the arguments after its port
/// @param flags further JVM flags
/// @param names systems that take part
/// @param quick the subset that `--quick` measures
public record SelectorSystems(
    String main, List<String> arguments, List<String> flags, List<String> names, List<String> quick)
    implements Peers {
  public static final List<String> ALL =
      List.of("sluice/completion", "sluice/readiness", "jdk-epoll", "jdk-poll");

  /// The engine that `sluice run` chooses automatically; only on request, because it is one of the
  /// others.
  private static final String AUTO = "sluice/auto";

  public static final String THRESHOLD = "threshold";

  private static final String MARK = " " + THRESHOLD + "=";
  private static final String PROVIDER = "-Djava.nio.channels.spi.SelectorProvider=";

  @Override
  public List<String> defaults(boolean few) {
    return few ? quick : names;
  }

  public static String withThreshold(String system, int threshold) {
    return system + MARK + threshold;
  }

  /// Returns the threshold of a system, 0 for none.
  public static int threshold(String system) {
    String[] parts = system.split(MARK, 2);
    return parts.length > 1 ? Integer.parseInt(parts[1]) : 0;
  }

  /// Returns a system without its threshold.
  public static String engine(String system) {
    return system.split(MARK, 2)[0];
  }

  @Override
  public boolean knows(String system) {
    return ALL.contains(engine(system)) || engine(system).equals(AUTO);
  }

  @Override
  public ServerSpec spec(Systems systems, String system, Path root) throws IOException {
    List<String> all = new ArrayList<>(provider(system));
    all.addAll(flags);
    int port = FreePort.find();
    List<String> words = new ArrayList<>(List.of(Integer.toString(port)));
    words.addAll(arguments);
    return systems.java(system, all, main, words, port);
  }

  /// Returns the JVM flags that choose the selector, as `sluice run` sets them, and those that
  /// check it.
  public static List<String> provider(String system) throws IOException {
    List<String> flags = new ArrayList<>();
    String name = engine(system);
    switch (name) {
      case "jdk-epoll" -> flags.add(expect("sun.nio.ch.EPoll"));
      case "jdk-poll" ->
          flags.addAll(
              List.of(PROVIDER + "sun.nio.ch.PollSelectorProvider", expect("sun.nio.ch.Poll")));
      case "sluice/readiness", "sluice/completion", AUTO -> {
        String engine = name.substring(Systems.OURS.length());
        flags.add(Systems.OUR_PROVIDER);
        flags.add("-Dsluice.nio.engine=" + engine);
        if (!engine.equals("completion")) {
          flags.add("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
        }
        flags.add(expect(name.equals(AUTO) ? "" : "sluice.nio."));
      }
      default -> throw new IOException("no such system: " + system);
    }
    if (threshold(system) > 0) {
      flags.add("-Dsluice.nio.threshold=" + threshold(system));
    }
    return flags;
  }

  private static String expect(String selector) {
    return "-D" + SelectorCheck.PROPERTY + "=" + selector;
  }
}
