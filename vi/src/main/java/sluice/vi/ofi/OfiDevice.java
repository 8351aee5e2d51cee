package sluice.vi.ofi;

import java.io.IOException;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.vi.device.Device;
import sluice.vi.device.Listener;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// Connections through a provider of libfabric, between processes of one user on one machine. Any
/// thread may call. It has no thread of its own: a message moves when a thread posts, polls or
/// waits.
///
/// The two sides find each other at a UNIX socket, tell each other the addresses of their endpoints
/// and exchange one message each, so that what the provider makes at a first message is there.
final class OfiDevice implements Device {
  private static final int BACKLOG = 64;

  private final String provider;

  OfiDevice(String provider) {
    this.provider = provider;
  }

  /// Refuses what the provider cannot do.
  static void check(PortSpec spec) throws IOException {
    if (spec.discards() || spec.acknowledged()) {
      throw new IOException(
          "libfabric has no completion that tells of the peer's buffer alone, and discards nothing."
              + " Fix: reliability RELIABLE_DELIVERY, or the device local");
    }
  }

  @Override
  public Listener listen(String address, int tag) throws IOException {
    int fd = ControlSocket.open();
    try {
      Sockets.bind(fd, ControlSocket.name(provider, address, tag));
      Sockets.listen(fd, BACKLOG);
      return new OfiListener(provider, fd);
    } catch (IOException e) {
      int _ = Files.close(fd);
      if (e instanceof SysException call && call.errno() == Errno.EADDRINUSE) {
        throw new IOException(
            "a listener for tag " + tag + " is at " + address + " already. Fix: another tag", e);
      }
      throw e;
    }
  }

  @Override
  public Port connect(String address, PortSpec spec, long timeoutNanos) throws IOException {
    check(spec);
    long end = System.nanoTime() + (timeoutNanos < 0 ? Long.MAX_VALUE >> 1 : timeoutNanos);
    ControlSocket control =
        ControlSocket.connect(
            ControlSocket.name(provider, address, spec.tag()), address, spec.tag(), end);
    PortMaker maker = new PortMaker(provider, control, spec);
    try {
      control.say(maker.greeting(Greeting.HELLO, spec.transferBytes()));
      Greeting answer = control.hear(Greeting.ACCEPTED, end);
      if (answer == null) {
        throw new IOException("no accept came in time: a listener is there but does not accept");
      }
      if (answer.transferBytes() > spec.transferBytes()) {
        throw new IOException("the listener answered messages of " + answer.transferBytes());
      }
      return maker.finish(answer, answer.transferBytes(), true, end);
    } catch (IOException | RuntimeException e) {
      maker.abandon();
      throw e;
    }
  }

  @Override
  public void close() {}
}
