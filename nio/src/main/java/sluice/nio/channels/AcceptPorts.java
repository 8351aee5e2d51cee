package sluice.nio.channels;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A factory of accept ports for channels that have begun to listen. Any thread may call.
public interface AcceptPorts {
  /// Returns the port of a channel that listens.
  ///
  /// @return null if the channel accepts by itself
  /// @throws IOException if the port is not available; the channel's `bind` then fails
  @Nullable AcceptPort listening(SluiceServerSocketChannel channel) throws IOException;
}
