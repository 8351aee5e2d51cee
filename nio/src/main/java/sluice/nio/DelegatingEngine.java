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
import org.jspecify.annotations.Nullable;

/// An engine that delegates to a provider of the JDK's channels. This is either the JDK's own
/// provider, which leaves the JVM's behavior unchanged, or
/// [sluice.nio.readiness.ReadinessChannels]. Any thread may use it.
final class DelegatingEngine implements NioEngine {
  private final String name;
  private final SelectorProvider provider;

  /// @param name the name of the engine in `-Dsluice.nio.engine`
  DelegatingEngine(String name, SelectorProvider provider) {
    this.name = name;
    this.provider = provider;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public AbstractSelector openSelector() throws IOException {
    return provider.openSelector();
  }

  @Override
  public SocketChannel openSocketChannel(@Nullable ProtocolFamily family) throws IOException {
    return family == null ? provider.openSocketChannel() : provider.openSocketChannel(family);
  }

  @Override
  public ServerSocketChannel openServerSocketChannel(@Nullable ProtocolFamily family)
      throws IOException {
    return family == null
        ? provider.openServerSocketChannel()
        : provider.openServerSocketChannel(family);
  }

  @Override
  public DatagramChannel openDatagramChannel(@Nullable ProtocolFamily family) throws IOException {
    return family == null ? provider.openDatagramChannel() : provider.openDatagramChannel(family);
  }

  @Override
  public Pipe openPipe() throws IOException {
    return provider.openPipe();
  }

  @Override
  public @Nullable Channel inheritedChannel() throws IOException {
    return provider.inheritedChannel();
  }
}
