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

/// A factory for channels and for the selectors they register with. Any thread may call any method
/// at any time.
interface NioEngine {
  /// Returns the value of `-Dsluice.nio.engine` that selects this engine.
  String name();

  AbstractSelector openSelector() throws IOException;

  SocketChannel openSocketChannel(@Nullable ProtocolFamily family) throws IOException;

  ServerSocketChannel openServerSocketChannel(@Nullable ProtocolFamily family) throws IOException;

  DatagramChannel openDatagramChannel(@Nullable ProtocolFamily family) throws IOException;

  Pipe openPipe() throws IOException;

  /// Returns the channel that this process inherited from its parent, such as inetd, or null if
  /// there is none.
  @Nullable Channel inheritedChannel() throws IOException;
}
