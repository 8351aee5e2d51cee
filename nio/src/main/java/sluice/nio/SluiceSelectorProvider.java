package sluice.nio;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import sluice.sys.sockets.JdkDecisions;

/// The selector provider that supplies channels and selectors to unmodified applications. Any
/// thread may use it.
///
/// As the JVM's default it is named by the system property
/// `java.nio.channels.spi.SelectorProvider`, found as a service, or set by the agent. An instance
/// also works without being the default.
public final class SluiceSelectorProvider extends SelectorProvider {
  private final NioEngine engine;

  static {
    JdkDecisions.begin(); // before the application can change what the JDK has read
  }

  /// Creates a provider with the engine named by the system property `sluice.nio.engine`, which is
  /// reported on standard error once per JVM. If the engine cannot work in this JVM, or a property
  /// has an invalid value, every call that opens something throws an [IOException] with the reason
  /// and the fix.
  public SluiceSelectorProvider() {
    this.engine = Chosen.engine(this);
  }

  SluiceSelectorProvider(NioEngine engine) {
    this.engine = engine;
  }

  /// Creates a provider with an engine whose channels report this provider.
  SluiceSelectorProvider(Function<SelectorProvider, NioEngine> engine) {
    this.engine = engine.apply(this);
  }

  /// The choice of this JVM, made once. The channels of all providers report the first one.
  private static final class Chosen {
    private static @Nullable NioEngine chosen;

    static synchronized NioEngine engine(SelectorProvider first) {
      if (chosen == null) {
        chosen = choose(first);
      }
      return chosen;
    }

    private static NioEngine choose(SelectorProvider first) {
      try {
        EngineChoice choice = EngineChoice.make(System::getProperty, first);
        if (!EngineChoice.flag(System::getProperty, EngineChoice.QUIET, false)) {
          System.err.println(choice.line());
        }
        return choice.engine();
      } catch (IllegalArgumentException | IllegalStateException refused) {
        return new RefusingEngine(String.valueOf(refused.getMessage()));
      }
    }
  }

  /// Returns the name of the engine in use: `readiness`, `completion` or `jdk`; `none` if every
  /// call is refused.
  public String engineName() {
    return engine.name();
  }

  @Override
  public DatagramChannel openDatagramChannel() throws IOException {
    return engine.openDatagramChannel(null);
  }

  @Override
  public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
    return engine.openDatagramChannel(Objects.requireNonNull(family, "family"));
  }

  @Override
  public Pipe openPipe() throws IOException {
    return engine.openPipe();
  }

  @Override
  public AbstractSelector openSelector() throws IOException {
    return engine.openSelector();
  }

  @Override
  public ServerSocketChannel openServerSocketChannel() throws IOException {
    return engine.openServerSocketChannel(null);
  }

  @Override
  public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
    return engine.openServerSocketChannel(Objects.requireNonNull(family, "family"));
  }

  @Override
  public SocketChannel openSocketChannel() throws IOException {
    return engine.openSocketChannel(null);
  }

  @Override
  public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
    return engine.openSocketChannel(Objects.requireNonNull(family, "family"));
  }

  @Override
  public @Nullable Channel inheritedChannel() throws IOException {
    return engine.inheritedChannel();
  }
}
