package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.NetworkChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;
import sun.nio.ch.DefaultSelectorProvider;

/// Properties that an application sets before or after the JDK has looked at them count for our
/// channels as for the JDK's, in a JVM of their own.
class JdkDecisionsTest {
  /// When the application sets `java.net.preferIPv4Stack`.
  enum Set {
    NEVER,

    /// In its first line: the JDK does without IPv6.
    FIRST,

    /// After the JDK has loaded its network library: nothing changes.
    LATE
  }

  @ParameterizedTest
  @EnumSource
  void familiesAreTheJdks(Set when) throws Exception {
    run(List.of(), when);
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void familiesAreTheJdksWhereTheCommandLineNamesThem(String ipv4) throws Exception {
    run(List.of("-Djava.net.preferIPv4Stack=" + ipv4), Set.NEVER);
  }

  private static void run(List<String> options, Set when) throws Exception {
    List<String> all = new ArrayList<>(options);
    all.add("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
    Process child = ChildJvm.of(all, Application.class, when.name()).start();
    assertThat(Await.end(child)).isZero();
  }

  /// Opens and binds channels of both kinds in every way that families matter for.
  static final class Application {
    private Application() {}

    private interface Opener {
      NetworkChannel open(SelectorProvider provider, @Nullable ProtocolFamily family)
          throws IOException;
    }

    public static void main(String[] arguments) throws Exception {
      Set when = Set.valueOf(arguments[0]);
      SelectorProvider ours =
          new SluiceSelectorProvider(self -> new CompletionEngine(self, CompletionEngine.NEVER));
      if (when == Set.LATE) {
        boolean _ = InetAddress.getLoopbackAddress().isReachable(1);
      }
      if (when != Set.NEVER) {
        System.setProperty("java.net.preferIPv4Stack", "true");
        System.setProperty("java.io.tmpdir", "/nowhere"); // the JDK knows it from its start
      }
      List<Opener> openers =
          List.of(
              (provider, family) ->
                  family == null
                      ? provider.openServerSocketChannel()
                      : provider.openServerSocketChannel(family),
              (provider, family) ->
                  family == null
                      ? provider.openSocketChannel()
                      : provider.openSocketChannel(family),
              (provider, family) ->
                  family == null
                      ? provider.openDatagramChannel()
                      : provider.openDatagramChannel(family));
      for (Opener opener : openers) {
        for (@Nullable ProtocolFamily family :
            new @Nullable ProtocolFamily[] {
              null, StandardProtocolFamily.INET, StandardProtocolFamily.INET6
            }) {
          for (String host : List.of("::", "::1", "0.0.0.0", "127.0.0.1")) {
            SocketAddress address = new InetSocketAddress(host, 0);
            same(
                bound(opener, DefaultSelectorProvider.get(), family, address),
                bound(opener, ours, family, address));
          }
          same(
              bound(opener, DefaultSelectorProvider.get(), family, null),
              bound(opener, ours, family, null));
        }
      }
      same(socketDirectory(DefaultSelectorProvider.get()), socketDirectory(ours));
    }

    private static void same(String jdk, String ours) {
      if (!ours.equals(jdk)) {
        throw new AssertionError(ours + ", and with the JDK " + jdk);
      }
    }

    /// Which address a channel gets, or why it gets none.
    private static String bound(
        Opener opener,
        SelectorProvider provider,
        @Nullable ProtocolFamily family,
        @Nullable SocketAddress address) {
      String what = family + " " + address + ": ";
      try (NetworkChannel channel = opener.open(provider, family)) {
        channel.bind(address);
        return what + ((InetSocketAddress) channel.getLocalAddress()).getAddress();
      } catch (IOException | RuntimeException refused) {
        return what + refused.getClass();
      }
    }

    private static String socketDirectory(SelectorProvider provider) {
      try (NetworkChannel channel = provider.openServerSocketChannel(StandardProtocolFamily.UNIX)) {
        channel.bind(null);
        Path path = ((UnixDomainSocketAddress) channel.getLocalAddress()).getPath();
        Files.delete(path);
        return Objects.toString(path.getParent());
      } catch (IOException | RuntimeException refused) {
        return refused.toString();
      }
    }
  }
}
