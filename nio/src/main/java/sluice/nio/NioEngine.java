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

/// One way to make channels and the selectors they register with. Every thread may call every
/// method at any time.
interface NioEngine {
  /// What `-Dsluice.nio.engine` calls it.
  String name();

  AbstractSelector openSelector() throws IOException;

  SocketChannel openSocketChannel(@Nullable ProtocolFamily family) throws IOException;

  ServerSocketChannel openServerSocketChannel(@Nullable ProtocolFamily family) throws IOException;

  DatagramChannel openDatagramChannel(@Nullable ProtocolFamily family) throws IOException;

  Pipe openPipe() throws IOException;

  /// The channel the process was started with, as of inetd; null when there is none.
  @Nullable Channel inheritedChannel() throws IOException;
}
