package sluice.nio;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import org.jspecify.annotations.Nullable;

/// The provider that an unmodified application gets its channels and selectors from. Every thread
/// may use it.
public final class SluiceSelectorProvider extends SelectorProvider {
  private final NioEngine engine;

  /// The engine named by the system property `sluice.nio.engine`.
  public SluiceSelectorProvider() {
    this(new DelegatingEngine(SelectorProvider.provider()));
  }

  SluiceSelectorProvider(NioEngine engine) {
    this.engine = engine;
  }

  @Override
  public DatagramChannel openDatagramChannel() throws IOException {
    return engine.openDatagramChannel(null);
  }

  @Override
  public DatagramChannel openDatagramChannel(@Nullable ProtocolFamily family) throws IOException {
    return engine.openDatagramChannel(family);
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
  public ServerSocketChannel openServerSocketChannel(@Nullable ProtocolFamily family)
      throws IOException {
    return engine.openServerSocketChannel(family);
  }

  @Override
  public SocketChannel openSocketChannel() throws IOException {
    return engine.openSocketChannel(null);
  }

  @Override
  public SocketChannel openSocketChannel(@Nullable ProtocolFamily family) throws IOException {
    return engine.openSocketChannel(family);
  }
}
