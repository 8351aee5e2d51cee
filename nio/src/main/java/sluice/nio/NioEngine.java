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

/// A factory of channels and the selectors they register with. Any thread may call any method at
/// any time.
interface NioEngine {
  /// Returns the name of the engine in `-Dsluice.nio.engine`.
  String name();

  AbstractSelector openSelector() throws IOException;

  SocketChannel openSocketChannel(@Nullable ProtocolFamily family) throws IOException;

  ServerSocketChannel openServerSocketChannel(@Nullable ProtocolFamily family) throws IOException;

  DatagramChannel openDatagramChannel(@Nullable ProtocolFamily family) throws IOException;

  Pipe openPipe() throws IOException;

  /// Returns the channel the process was started with, as by inetd; null if there is none.
  @Nullable Channel inheritedChannel() throws IOException;
}
