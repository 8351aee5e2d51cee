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
/// To become the JVM's default, this provider is named by the system property
/// `java.nio.channels.spi.SelectorProvider`, found as a service, or installed by the agent. An
/// instance can also be used directly without being the default.
public final class SluiceSelectorProvider extends SelectorProvider {
  private final NioEngine engine;

  static {
    JdkDecisions.begin(); // before the application can change what the JDK has read
  }

  /// Creates a provider with the engine named by the system property `sluice.nio.engine`, and
  /// reports the engine on standard error once per JVM. If the engine cannot work in this JVM, or a
  /// property has an invalid value, every call that opens something throws an [IOException] with
  /// the reason and the fix.
  public SluiceSelectorProvider() {
    this.engine = Chosen.engine(this);
  }

  SluiceSelectorProvider(NioEngine engine) {
    this.engine = engine;
  }

  /// Creates a provider from an engine factory, which is passed this provider so that channels can
  /// report it.
  SluiceSelectorProvider(Function<SelectorProvider, NioEngine> engine) {
    this.engine = engine.apply(this);
  }

  /// Holds the engine of this JVM, which is chosen once. The channels of all providers report the
  /// first provider that was created.
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

  /// Returns the name of the engine in use, which is `readiness`, `completion` or `jdk`, or `none`
  /// if all calls are rejected.
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
