package sluice.vi.ofi;

import java.io.IOException;
import sluice.sys.AbstractUnixAddress;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.vi.device.Device;
import sluice.vi.device.DeviceException;
import sluice.vi.device.Fault;
import sluice.vi.device.Listener;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// Connections through a provider of libfabric, between processes of one user on one machine. Any
/// thread may call. The device has no thread of its own, so messages are transferred when a thread
/// posts, polls or waits.
///
/// The two sides connect through a UNIX socket, exchange the addresses of their endpoints, and then
/// exchange one message in each direction, so that the provider allocates the resources that it
/// creates lazily for the first message.
final class OfiDevice implements Device {
  private static final int BACKLOG = 64;

  private final String provider;

  OfiDevice(String provider) {
    this.provider = provider;
  }

  /// Rejects a specification that the provider does not support.
  static void check(PortSpec spec) throws DeviceException {
    if (spec.discards() || spec.acknowledged()) {
      throw new DeviceException(
          Fault.MISCONFIGURED,
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
        throw DeviceException.tagTaken(tag, address, e);
      }
      throw e;
    }
  }

  @Override
  public Port connect(String address, PortSpec spec, long timeoutNanos) throws IOException {
    check(spec);
    AbstractUnixAddress name = ControlSocket.name(provider, address, spec.tag());
    PortMaker maker = new PortMaker(provider, spec);
    try {
      Greeting hello = maker.greeting(Greeting.HELLO, spec.transferBytes());
      // From now on each side waits for the other.
      long end = System.nanoTime() + (timeoutNanos < 0 ? Long.MAX_VALUE >> 1 : timeoutNanos);
      ControlSocket control = ControlSocket.connect(name, address, spec.tag(), end);
      try {
        control.say(hello);
        Greeting answer = answer(control, end);
        if (answer.transferBytes() > spec.transferBytes()) {
          throw new DeviceException(
              Fault.PEER_LOST, "the listener answered messages of " + answer.transferBytes());
        }
        maker.begin(control, answer, answer.transferBytes(), true, end);
      } catch (IOException | RuntimeException e) {
        control.close();
        throw e;
      }
      Port port = maker.advance();
      while (port == null) {
        ControlSocket.nap();
        port = maker.advance();
      }
      return port;
    } catch (IOException | RuntimeException e) {
      maker.abandon();
      throw e;
    }
  }

  private static Greeting answer(ControlSocket control, long end) throws DeviceException {
    Greeting answer = control.hear(Greeting.ACCEPTED);
    while (answer == null) {
      if (System.nanoTime() - end >= 0) {
        throw DeviceException.notAccepted(null);
      }
      ControlSocket.nap();
      answer = control.hear(Greeting.ACCEPTED);
    }
    return answer;
  }

  @Override
  public void close() {}
}
