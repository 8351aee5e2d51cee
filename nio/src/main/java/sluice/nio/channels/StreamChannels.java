package sluice.nio.channels;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.spi.SelectorProvider;
import org.jspecify.annotations.Nullable;
import sluice.nio.descriptors.JdkExport;

/// A factory of stream sockets, of the class that this JVM allows. Any thread may call.
public final class StreamChannels {
  /// True if [FileTargetChannel] can be loaded; it is not touched otherwise.
  private static final boolean EXPORTED = JdkExport.isExported();

  private StreamChannels() {}

  public static SluiceSocketChannel open(SelectorProvider provider, @Nullable ProtocolFamily family)
      throws IOException {
    return EXPORTED
        ? FileTargetChannel.open(provider, family)
        : new SluiceSocketChannel(provider, family);
  }

  /// Creates the channel of a descriptor that is already connected.
  static SluiceSocketChannel connected(
      SelectorProvider provider, StandardProtocolFamily family, int fd, SocketAddress remote) {
    return EXPORTED
        ? FileTargetChannel.connected(provider, family, fd, remote)
        : new SluiceSocketChannel(provider, family, fd, remote);
  }
}
