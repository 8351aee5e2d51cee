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

/// A stand-in for an engine that cannot be used, or whose name or settings are wrong. It reports
/// that to each call for a channel or a selector. Any thread may call.
///
/// A provider whose constructor threw would report it less clearly: the JDK wraps the exception
/// into two more, and later calls only find a class that could not be initialized.
final class RefusingEngine implements NioEngine {
  private final String refusal;

  /// @param refusal the message with the problem, the reason and the fix
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
