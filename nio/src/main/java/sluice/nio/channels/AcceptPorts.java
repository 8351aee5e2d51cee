package sluice.nio.channels;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Decides what accepts for a channel that has begun to listen. Any thread calls.
public interface AcceptPorts {
  /// @return null for the channel itself
  /// @throws IOException when it cannot be had: the channel's `bind` fails
  @Nullable AcceptPort listening(SluiceServerSocketChannel channel) throws IOException;
}
