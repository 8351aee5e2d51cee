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

/// A placeholder for an engine that cannot be used, or whose name or settings are invalid. Every
/// call that opens a channel or a selector throws an exception with this information. Any thread
/// may call it.
///
/// The problem is not thrown by the provider's constructor, because the JDK would wrap the
/// exception in two others, and later calls would only report a class that could not be
/// initialized.
final class RefusingEngine implements NioEngine {
  private final String refusal;

  /// @param refusal the message that describes the problem, its cause and the fix
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
