package sluice.net.transport;

import java.io.IOException;

/// Informs a driver about the UDP ports that are owned by a stack, so that the driver receives
/// their datagrams instead of the kernel. It is invoked by the stack's thread.
interface PortFilter {
  /// The filter for a port that receives all frames.
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
