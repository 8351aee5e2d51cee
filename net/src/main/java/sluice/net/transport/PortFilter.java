package sluice.net.transport;

import java.io.IOException;

/// Tells a driver the UDP ports that a stack owns, so that it takes their datagrams from the
/// kernel. Called by the stack's thread.
interface PortFilter {
  /// The filter of a port that gets all frames.
  PortFilter NONE =
      new PortFilter() {
        @Override
        public void own(int port) {}

        @Override
        public void release(int port) {}
      };

  void own(int port) throws IOException;

  void release(int port);
}
