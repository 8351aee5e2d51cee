package sluice.nio;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import org.jspecify.annotations.Nullable;

/// Stands in for an engine that cannot be used, or that no property names rightly, and says so to
/// each call for a channel or a selector. Every thread may call.
///
/// A provider whose constructor threw would tell it less well: the JDK wraps that into two more
/// exceptions, and later calls find only a class that could not be initialized.
final class RefusingEngine implements NioEngine {
  private final String refusal;

  /// @param refusal what, why and the fix
  RefusingEngine(String refusal) {
    this.refusal = refusal;
  }

  private IOException refused() {
    return new IOException(refusal);
  }

  @Override
  public String name() {
    return "none";
  }

  @Override
  public AbstractSelector openSelector() throws IOException {
    throw refused();
  }

  @Override
  public SocketChannel openSocketChannel(@Nullable ProtocolFamily family) throws IOException {
    throw refused();
  }

  @Override
  public ServerSocketChannel openServerSocketChannel(@Nullable ProtocolFamily family)
      throws IOException {
    throw refused();
  }

  @Override
  public DatagramChannel openDatagramChannel(@Nullable ProtocolFamily family) throws IOException {
    throw refused();
  }

  @Override
  public Pipe openPipe() throws IOException {
    throw refused();
  }

  @Override
  public @Nullable Channel inheritedChannel() throws IOException {
    throw refused();
  }
}
