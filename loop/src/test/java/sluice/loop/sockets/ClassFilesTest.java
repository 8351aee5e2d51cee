package sluice.loop.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.Connection;
import sluice.loop.Protocol;
import sluice.loop.engine.Backend;
import sluice.loop.server.Server;
import sluice.loop.server.ServerConfig;
import sluice.memory.View;
import sluice.sys.Errno;
import sluice.sys.EventFd;
import sluice.sys.ResourceLimit;
import sluice.sys.SysException;
import sluice.testbase.Child;

/// A server whose classes are in a directory runs out of descriptors: none of them is loaded from
/// its first connection on. Another JVM lists the classes that it loads.
@Timeout(240)
final class ClassFilesTest {
  private static final String LISTENS = "it listens";
  private static final String OVER = "it is over";

  /// Of a directory: a jar is open.
  private static final Pattern LOADED = Pattern.compile("(sluice\\.\\S+) source: file:\\S+/\\s");

  /// Run by the other JVM.
  static final class Shortage {
    private static final int CLIENTS = 16;

    private Shortage() {}

    public static void main(String[] arguments) throws IOException {
      ServerConfig config =
          ServerConfig.onLoopback("short", 0).withBackend(Backend.valueOf(arguments[0]));
      ResourceLimit.soft(ResourceLimit.RLIMIT_NOFILE, 400);
      try (Server server = Server.start(config, loop -> new Saying())) {
        System.out.println(LISTENS);
        SocketAddress address =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
        List<SocketChannel> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
          clients.add(SocketChannel.open());
        }
        List<EventFd> hogs = new ArrayList<>();
        int refused = 0;
        for (SocketChannel each : clients) {
          useUp(hogs);
          each.connect(address);
          refused += heard(each.socket()) == Saying.REFUSED ? 1 : 0;
        }
        hogs.forEach(EventFd::close);
        for (SocketChannel each : clients) {
          each.close();
        }
        System.out.println(refused + " refused, drained " + server.drain(Duration.ofSeconds(30)));
      }
      System.out.println(OVER);
    }

    private static void useUp(List<EventFd> hogs) {
      try {
        while (hogs.size() < 1_000) {
          hogs.add(EventFd.open(true));
        }
      } catch (SysException e) {
        if (e.errno() != Errno.EMFILE) {
          throw new AssertionError(e);
        }
      }
    }

    /// A client that is cut off hears nothing.
    private static int heard(Socket client) {
      try {
        client.setSoTimeout(20_000);
        return client.getInputStream().read();
      } catch (IOException e) {
        return -1;
      }
    }
  }

  /// Says whether there was a place.
  private static final class Saying implements Protocol {
    static final byte SERVED = 's';
    static final byte REFUSED = 'r';

    @Override
    public void opened(Connection connection) {
      connection.output().put(new byte[] {SERVED});
    }

    @Override
    public void overloaded(Connection connection) {
      connection.output().put(new byte[] {REFUSED});
      connection.close();
    }

    @Override
    public int received(Connection connection, View input) {
      return input.length();
    }
  }

  @ParameterizedTest
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  void noClassIsLoadedOnceItListens(Backend backend) throws Exception {
    Child child =
        Child.run(
            new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load:stdout",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath(),
                Shortage.class.getName(),
                backend.name()));
    String log = child.output();
    assertThat(child.exit()).as(log).isZero();
    assertThat(log).contains(LISTENS, OVER).containsPattern("1[0-6] refused, drained true");
    int listens = log.indexOf(LISTENS);
    assertThat(loaded(log.substring(0, listens)))
        .contains("sluice.loop.Loop", "sluice.loop.Receiver");
    assertThat(loaded(log.substring(listens)))
        .as(backend.name().toLowerCase(Locale.ROOT))
        .isEmpty();
  }

  private static Set<String> loaded(String log) {
    Set<String> classes = new TreeSet<>();
    for (Matcher matcher = LOADED.matcher(log); matcher.find(); ) {
      classes.add(matcher.group(1));
    }
    return classes;
  }

  private static String classPath() {
    return String.join(
        File.pathSeparator,
        List.of(
            Path.of(System.getProperty("basedir", "."), "target", "test-classes").toString(),
            System.getProperty("jdk.module.path", ""),
            System.getProperty("java.class.path", "")));
  }
}
