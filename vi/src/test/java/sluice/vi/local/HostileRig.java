package sluice.vi.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import sluice.sys.AbstractUnixAddress;
import sluice.sys.Files;
import sluice.sys.Mapping;
import sluice.sys.PeerCredentials;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.testbase.Await;
import sluice.vi.device.Descriptor;
import sluice.vi.device.Failure;
import sluice.vi.device.Listener;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// A listener of the device, and peers of the same user that speak to it by hand. Of the test's
/// thread.
final class HostileRig implements AutoCloseable {
  private final PortSpec spec;
  private final String place;
  private final LocalDevice device;
  final Listener listener;

  HostileRig(String name, PortSpec spec) throws IOException {
    this.spec = spec;
    place = name + "-" + ProcessHandle.current().pid();
    device = new LocalDevice();
    listener = device.listen(place, spec.tag());
  }

  /// An accepted port, and the memory as its peer sees it.
  record Peer(Port port, Mapping mapping, int fd, int socket) implements AutoCloseable {
    MemorySegment shared() {
      return mapping.segment();
    }

    /// Ends the port as an application does, and finds that everything posted comes back.
    @Override
    public void close() {
      port.end(Failure.CLOSED);
      try {
        Await.until(
            "all descriptors come back",
            () -> {
              Descriptor _ = port.pollReceive();
              Descriptor _ = port.pollSend();
              return port.sendsPosted() == 0 && port.receivesPosted() == 0;
            });
      } catch (Exception e) {
        throw new AssertionError(e);
      } finally {
        port.close();
        mapping.close();
        int _ = Files.close(fd);
        int _ = Files.close(socket);
      }
    }
  }

  Peer connect() throws IOException {
    int fd = SharedMemory.create(spec.ringBytes());
    int socket = connectSocket();
    say(socket, Hello.of(spec, fd));
    Port port =
        Objects.requireNonNull(listener.accept(spec, TimeUnit.SECONDS.toNanos(Await.SECONDS)));
    return new Peer(port, SharedMemory.map(fd, spec.ringBytes()), fd, socket);
  }

  int connectSocket() throws IOException {
    int type = Sockets.SOCK_SEQPACKET;
    int socket = Sockets.socket(SocketAddresses.AF_UNIX, type, 0);
    String name = "sluice-vi/" + PeerCredentials.ownUser() + "/" + place + "/" + spec.tag();
    SysException.check(Sockets.connect(socket, new AbstractUnixAddress(name)), "connect", name);
    return socket;
  }

  static void say(int socket, Hello hello) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment packet = arena.allocate(Hello.BYTES, 4);
      hello.write(packet);
      assertThat(Sockets.send(socket, packet, 0, Hello.BYTES, 0)).isEqualTo(Hello.BYTES);
    }
  }

  @Override
  public void close() {
    listener.close();
    device.close();
  }
}
