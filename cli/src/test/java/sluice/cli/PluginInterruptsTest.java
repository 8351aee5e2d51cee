package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.http.plugin.HttpPlugin;
import sluice.http.plugin.PluginReply;
import sluice.http.plugin.PluginRequest;
import sluice.testbase.Await;

/// Tests a plug-in that interrupts every thread it can reach, in a separate `sluice serve` process.
@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class PluginInterruptsTest extends PluginRig {
  /// A plug-in that interrupts threads by calls, which the domain redirects, and by reflection,
  /// which the domain does not see.
  public static class Hostile implements HttpPlugin {
    private static final int ROUNDS = 60;

    @Override
    public PluginReply handle(PluginRequest request) throws Exception {
      return PluginReply.text(
          switch (request.path()) {
            case "/api/calls" -> String.join(",", byCalls());
            case "/api/reflection" -> byReflection();
            case "/api/flags" -> String.join(",", flags());
            default -> version();
          });
    }

    String version() {
      return "version 1";
    }

    /// Interrupts all threads it finds and returns their names.
    private static SortedSet<String> byCalls() {
      TreeSet<String> names = new TreeSet<>();
      for (int i = 0; i < ROUNDS; i++) {
        for (Thread each : Thread.getAllStackTraces().keySet()) {
          names.add(each.getName());
          if (each != Thread.currentThread()) {
            each.interrupt();
          }
        }
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        for (ThreadGroup at = top; at != null; at = at.getParent()) {
          top = at;
        }
        Thread[] found = new Thread[100];
        int count = top.enumerate(found);
        for (int at = 0; at < count; at++) {
          names.add(found[at].getName());
          found[at].interrupt();
        }
        top.interrupt();
        boolean _ = Thread.interrupted();
      }
      return names;
    }

    private static Map<?, ?> all() throws Exception {
      return (Map<?, ?>) Thread.class.getMethod("getAllStackTraces").invoke(null);
    }

    static String byReflection() throws Exception {
      Method interrupt = Thread.class.getMethod("interrupt");
      int count = 0;
      for (int i = 0; i < ROUNDS; i++) {
        for (Object each : all().keySet()) {
          if (each != Thread.currentThread()) {
            interrupt.invoke(each);
            count++;
          }
        }
        Thread.sleep(5);
      }
      return count > ROUNDS ? "many" : "few";
    }

    /// Returns the names of our threads that are still interrupted. Any interruptible wait of such
    /// a thread would end at once.
    private static SortedSet<String> flags() throws Exception {
      Method isInterrupted = Thread.class.getMethod("isInterrupted");
      TreeSet<String> names = new TreeSet<>();
      for (Object each : all().keySet()) {
        String name = (String) Thread.class.getMethod("getName").invoke(each);
        boolean isOurs = name.matches("(sluice|http-loop|main).*");
        if (isOurs && (Boolean) isInterrupted.invoke(each)) {
          names.add(name);
        }
      }
      return names;
    }
  }

  /// A plug-in that interrupts threads from its creation on, and so also while the server starts.
  public static final class Impatient extends Hostile {
    private static volatile boolean stopped;

    /// Starts to interrupt.
    public Impatient() {
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            try {
              while (!stopped) {
                byReflection();
              }
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
          });
    }

    @Override
    String version() {
      stopped = true;
      return super.version();
    }
  }

  /// A second version of the plug-in.
  public static final class Second extends Hostile {
    @Override
    String version() {
      return "version 2";
    }
  }

  private void start(String backend, Class<?> type) throws Exception {
    String log = directory.resolve("access.log").toString();
    Path jar = plugin(type, Hostile.class);
    String timeout = "--plugin-timeout=60"; // far more than a busy machine needs to load it
    start("--backend", backend, "--access-log", log, "--plugin=/api=" + jar, timeout);
  }

  /// Checks that all threads of the server still do their work.
  private void worksAsBefore() throws Exception {
    assertThat(process().isAlive()).as("lives: " + told).isTrue();
    for (int i = 0; i < 20; i++) {
      assertThat(get("/")).isEqualTo("200 the site");
      assertThat(get("/api")).isEqualTo("200 version 1");
    }
    Await.until("no interrupt to stay", () -> get("/api/flags").equals("200 "));
    assertThat(get("/after")).startsWith("404");
    Await.until(
        "the log", () -> Files.readString(directory.resolve("access.log")).contains("/after"));
    String dir = "--dir=" + directory.resolve("run");
    String before = cpu(dir);
    Await.until("the counters", () -> !get("/api").isEmpty() && !cpu(dir).equals(before));
    plugin(Second.class, Hostile.class);
    signal("HUP");
    Await.until("the new version", () -> get("/api").equals("200 version 2"));
    assertThat(output("domain", "kill", "api", dir)).contains("has ended");
    terminate();
    assertThat(told).noneMatch(line -> line.contains("died") || line.contains("access log"));
    assertThat(directory.resolve("run")).isEmptyDirectory();
  }

  private String cpu(String dir) {
    return output("domain", "stat", "api", "--json", dir);
  }

  /// Interrupts by reflection, which a domain cannot prevent. No thread of the server may end.
  @ParameterizedTest
  @ValueSource(strings = {"auto", "epoll", "poll", "jdk"})
  void noThreadOfTheServerEndsByAnInterrupt(String backend) throws Exception {
    start(backend, Hostile.class);
    assertThat(get("/api")).isEqualTo("200 version 1");
    assertThat(get("/api/reflection")).isEqualTo("200 many");
    worksAsBefore();
  }

  /// Interrupts from the constructor on. An interrupted drain must continue.
  @Test
  void aPlugInThatInterruptsFromItsConstructorOnDoesNotKeepTheServerFromStarting()
      throws Exception {
    start("auto", Impatient.class);
    for (int i = 0; i < 50; i++) {
      assertThat(get("/")).isEqualTo("200 the site");
    }
    worksAsBefore();
  }

  @Test
  void callsReachThreadsOfTheDomainOnly() throws Exception {
    start("epoll", Hostile.class);
    assertThat(get("/api/calls")).isEqualTo("200 plugin-api");
    worksAsBefore();
  }
}
