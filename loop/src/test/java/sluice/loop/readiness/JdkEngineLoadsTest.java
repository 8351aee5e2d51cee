package sluice.loop.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.engine.Completion;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.Transport;
import sluice.testbase.Child;

/// The portable engine runs where there is no Linux: another JVM lists the classes it loads.
@Timeout(240)
class JdkEngineLoadsTest {
  private static final Pattern LOADED = Pattern.compile("(sluice\\.sys\\.[A-Za-z$]+) source:");

  /// The C heap, the calling of C functions, and the texts of errors.
  private static final Set<String> PORTABLE =
      Set.of(
          "sluice.sys.call.Arch",
          "sluice.sys.call.Kernel",
          "sluice.sys.NativeMemory",
          "sluice.sys.SysException",
          "sluice.sys.Explanation",
          "sluice.sys.Errno");

  /// Run by the other JVM: a connection of the engine to itself.
  static final class Echo {
    private Echo() {}

    public static void main(String[] arguments) throws IOException {
      try (Arena memory = Arena.ofConfined();
          Engine engine = JdkEngine.open(EngineConfig.DEFAULT.withChunks(4, 1024))) {
        Transport sockets = engine.sockets();
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        int listener = sockets.listen(any, ListenOptions.DEFAULT);
        int client = sockets.connect(sockets.localAddress(listener), 1);
        sockets.accept(listener, 2);
        int[] received = new int[1];
        while (received[0] == 0) {
          engine.turn(
              -1,
              (token, result, flags) -> {
                if (token == 1) {
                  sockets.sendAll(client, 4, memory.allocate(5), 0, 5);
                } else if (token == 2) {
                  sockets.receive(result, 3);
                } else if (token == 3) {
                  received[0] = result;
                  sockets.arena().block(Completion.chunk(flags)).release();
                }
              });
        }
      }
    }
  }

  @Test
  void noClassOfSysThatNeedsLinux() throws Exception {
    Child child =
        Child.run(
            new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load:stdout",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath(),
                Echo.class.getName()));
    String log = child.output();
    assertThat(child.exit()).as(log).isZero();
    Set<String> classes = new TreeSet<>();
    for (Matcher matcher = LOADED.matcher(log); matcher.find(); ) {
      classes.add(matcher.group(1));
    }
    assertThat(log).contains("sluice.loop.readiness.JdkSockets");
    assertThat(classes).isSubsetOf(PORTABLE);
  }

  private static String classPath() {
    String tests = Path.of(System.getProperty("basedir", "."), "target", "test-classes").toString();
    return String.join(
        File.pathSeparator,
        List.of(
            tests,
            System.getProperty("jdk.module.path", ""),
            System.getProperty("java.class.path", "")));
  }
}
