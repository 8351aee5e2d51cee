package sluice.nio.channels;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.spi.SelectorProvider;
import org.jspecify.annotations.Nullable;
import sluice.nio.descriptors.JdkExport;

/// A factory for stream sockets that selects the best class available in this JVM. Any thread may
/// call it.
public final class StreamChannels {
  /// True if [FileTargetChannel] can be loaded. Otherwise this class must not refer to it.
  private static final boolean EXPORTED = JdkExport.isExported();

  private StreamChannels() {}

  public static SluiceSocketChannel open(SelectorProvider provider, @Nullable ProtocolFamily family)
      throws IOException {
    return EXPORTED
        ? FileTargetChannel.open(provider, family)
        : new SluiceSocketChannel(provider, family);
  }

  /// Creates a channel for a descriptor that is already connected.
  static SluiceSocketChannel connected(
      SelectorProvider provider, StandardProtocolFamily family, int fd, SocketAddress remote) {
    return EXPORTED
        ? FileTargetChannel.connected(provider, family, fd, remote)
        : new SluiceSocketChannel(provider, family, fd, remote);
  }
}
