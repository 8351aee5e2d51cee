package sluice.nio.channels;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A factory for the accept ports of channels that start to listen. Any thread may call it.
public interface AcceptPorts {
  /// Returns the accept port for a channel that has started to listen.
  ///
  /// @return the port, or null if the channel accepts its connections itself
  /// @throws IOException if the port is not available, in which case the channel's `bind` fails
  @Nullable AcceptPort listening(SluiceServerSocketChannel channel) throws IOException;
}
