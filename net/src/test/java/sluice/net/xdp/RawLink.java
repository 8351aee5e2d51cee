package sluice.net.xdp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.sys.xdp.NetInterface;

/// Sends raw frames through an interface in the calling thread's namespace. Used by the test's
/// thread.
final class RawLink implements AutoCloseable {
  private static final int AF_PACKET = 17;
  private static final int SOCK_RAW = 3;

  private final int fd;
  private final MemorySegment memory = Arena.ofAuto().allocate(2048);

  RawLink(String device) throws IOException {
    fd = Sockets.socket(AF_PACKET, SOCK_RAW, 0);
    MemorySegment name = Arena.ofAuto().allocate(20, 4); // struct sockaddr_ll
    name.set(ValueLayout.JAVA_SHORT, 0, (short) AF_PACKET);
    name.set(ValueLayout.JAVA_INT, 4, NetInterface.named(device).index());
    int result = Sockets.bind(fd, name);
    if (result != 0) {
      throw new IOException("bind: " + result);
    }
  }

  void send(byte[] frame) throws IOException {
    MemorySegment.copy(frame, 0, memory, ValueLayout.JAVA_BYTE, 0, frame.length);
    int sent = Files.write(fd, memory, 0, frame.length);
    if (sent != frame.length) {
      throw new IOException("write: " + sent);
    }
  }

  @Override
  public void close() {
    int _ = Files.close(fd);
  }
}
