package sluice.net.transport;

import java.io.IOException;

/// Is told which ports of UDP a stack owns, so that a driver takes their datagrams from the kernel.
/// Called by the stack's thread.
interface PortFilter {
  /// For a port that gets all frames.
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
