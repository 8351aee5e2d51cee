package sluice.net.transport;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import sluice.loop.DescriptorWatch;
import sluice.loop.Loop;
import sluice.loop.datagrams.DatagramHandler;
import sluice.loop.datagrams.Datagrams;
import sluice.loop.datagrams.UserDatagramSocket;
import sluice.loop.datagrams.UserDatagrams;
import sluice.net.stack.Ipv4Stack;
import sluice.net.stack.UdpSocket;

/// Runs a network stack on a loop, which waits for the descriptor of the stack's port in addition
/// to its connections. Instances are owned by the loop's thread.
final class LoopStack {
  private static final long TICK_NANOS = 250_000_000L;

  private final Loop loop;
  private final Ipv4Stack stack;
  private final PortFilter filter;
  private final DescriptorWatch watch;
  private boolean polling;
  private boolean closed;

  private LoopStack(Loop loop, Ipv4Stack stack, PortFilter filter) {
    this.loop = loop;
    this.stack = stack;
    this.filter = filter;
    this.watch = loop.watch(stack.port().descriptor(), this::ready);
  }

  /// Starts a stack on the loop's thread. The stack is closed together with the loop.
  ///
  /// @throws UnsupportedOperationException if the loop's engine cannot wait for descriptors
  static LoopStack start(Loop loop, Ipv4Stack stack, PortFilter filter) {
    LoopStack made = new LoopStack(loop, stack, filter);
    loop.onClose(made::close);
    if (!made.watch.arm(DescriptorWatch.READABLE)) {
      made.watch.close();
      throw new UnsupportedOperationException(
          "the engine of "
              + loop.name()
              + " waits for no descriptors. Fix: another backend than jdk");
    }
    loop.schedule(TICK_NANOS, made::tick);
    return made;
  }

  private void ready() {
    polling = true;
    try {
      int _ = stack.poll();
    } finally {
      polling = false;
    }
    if (!closed && !stack.port().isGone()) {
      boolean _ = watch.arm(DescriptorWatch.READABLE);
    }
  }

  private void tick() {
    if (!closed) {
      stack.tick();
      loop.schedule(TICK_NANOS, this::tick);
    }
  }

  /// Opens a UDP port on the stack's address.
  ///
  /// @param wanted the address of the stack or a wildcard address; port 0 means any free port
  /// @throws IOException if the port is in use or the address is a different one
  Datagrams open(InetSocketAddress wanted, DatagramHandler handler) throws IOException {
    InetAddress host = wanted.getAddress();
    InetAddress own = ownAddress();
    if (host == null || !(host.isAnyLocalAddress() || host.equals(own))) {
      throw new IOException(
          "bind(udp "
              + wanted
              + "): EADDRNOTAVAIL\n  Why: the network stack at "
              + stack.port().name()
              + " has one address, "
              + own.getHostAddress()
              + ", and speaks IPv4\n  Fix: bind that address or 0.0.0.0");
    }
    UdpSocket socket = stack.bind(wanted.getPort(), filter::release);
    try {
      filter.own(socket.port());
    } catch (IOException e) {
      socket.close();
      throw e;
    }
    InetSocketAddress bound = new InetSocketAddress(own, socket.port());
    UserDatagrams made = new UserDatagrams(loop, new Bound(socket, bound), handler);
    socket.receiver(made::received);
    return made;
  }

  private InetAddress ownAddress() throws IOException {
    int address = stack.config().address().address();
    return InetAddress.getByAddress(
        new byte[] {
          (byte) (address >>> 24), (byte) (address >>> 16), (byte) (address >>> 8), (byte) address
        });
  }

  /// Adapts a socket to the loop's datagram interface.
  private final class Bound implements UserDatagramSocket {
    private final UdpSocket socket;
    private final InetSocketAddress address;

    Bound(UdpSocket socket, InetSocketAddress address) {
      this.socket = socket;
      this.address = address;
    }

    @Override
    public InetSocketAddress address() {
      return address;
    }

    @Override
    public boolean send(MemorySegment memory, long at, int length, int to, int port) {
      return socket.send(memory, at, length, to, port);
    }

    @Override
    public void flush() {
      if (!polling) {
        stack.flush();
      }
    }

    @Override
    public void close() {
      socket.close();
    }
  }

  /// Closes the stack after the loop has closed its engine.
  private void close() {
    closed = true;
    stack.flush();
    stack.close();
  }
}
