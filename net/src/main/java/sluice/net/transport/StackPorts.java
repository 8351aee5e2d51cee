package sluice.net.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;
import sluice.loop.Loop;
import sluice.loop.datagrams.DatagramHandler;
import sluice.loop.datagrams.DatagramPorts;
import sluice.loop.datagrams.Datagrams;
import sluice.loop.engine.NanoClock;
import sluice.net.StackConfig;
import sluice.net.port.PacketPort;
import sluice.net.stack.Ipv4Stack;
import sluice.net.stack.StackCounters;
import sluice.net.wire.Ipv4Header;
import sluice.net.wire.UdpHeader;
import sluice.net.xdp.XdpPort;
import sluice.sys.xdp.Capabilities;

/// Ports for datagrams on a network stack of our own, instead of the kernel's sockets. The first
/// [#open] gives the stack to that loop, which alone may open more.
///
/// Lifecycle: opened with its device, by any thread → run by a loop → closed with the loop;
/// [#close] is for a stack that no loop has got.
public final class StackPorts implements DatagramPorts, AutoCloseable {
  private final Ipv4Stack stack;
  private final PortFilter filter;
  private @Nullable LoopStack running;
  private @Nullable Loop owner;

  StackPorts(PacketPort port, StackConfig config, PortFilter filter) {
    this.stack = new Ipv4Stack(port, config, NanoClock.SYSTEM, new SecureRandom().nextLong());
    this.filter = filter;
  }

  /// Opens the device that an option names.
  ///
  /// @throws IOException when it is not to be had; the message says why and what to do
  public static StackPorts open(StackOption option) throws IOException {
    return option.open();
  }

  /// A stack over a port of the caller's.
  public static StackPorts over(PacketPort port, StackConfig config) {
    return new StackPorts(port, config, PortFilter.NONE);
  }

  /// For messages, such as `tap:tap0`.
  public String name() {
    return stack.port().name();
  }

  /// For people: `xdp:eth0 at 10.0.0.2/24`, with how the driver works.
  public String describe() {
    String mode = stack.port() instanceof XdpPort port ? " (" + port.mode() + ")" : "";
    return name() + mode + " at " + stack.config().address();
  }

  /// Why the driver works as [#describe] says, in lines; empty where nothing was refused.
  public String why() {
    return stack.port() instanceof XdpPort port ? port.why() : "";
  }

  /// Gives up for ever what opening a device needed: in the calling thread, in those that it starts
  /// from now on, and in programs that they run. Threads that run already keep it, which are those
  /// of the JVM when the thread that starts all others calls.
  ///
  /// @throws IOException when the kernel refuses; the message says why and what to do
  public void dropPrivileges() throws IOException {
    Capabilities.drop(
        Capabilities.CAP_NET_ADMIN,
        Capabilities.CAP_NET_RAW,
        Capabilities.CAP_SYS_ADMIN,
        Capabilities.CAP_PERFMON,
        Capabilities.CAP_BPF);
  }

  /// Longest datagram that fits into one packet.
  public int datagramBytes() {
    return stack.port().mtu() - Ipv4Header.BYTES - UdpHeader.BYTES;
  }

  /// Whether the stack alone has its address. Otherwise it answers stations that it has heard, and
  /// cannot begin.
  public boolean ownsAddress() {
    return stack.config().ownsAddress();
  }

  /// What the stack has counted.
  public StackCounters counters() {
    return stack.counters();
  }

  /// The stack itself, for tests.
  Ipv4Stack stack() {
    return stack;
  }

  /// Opens a port on the stack's address, whatever the host of `wanted` is: the caller names the
  /// addresses of the kernel.
  public DatagramPorts onOwnAddress() {
    return (loop, wanted, handler) -> open(loop, new InetSocketAddress(wanted.getPort()), handler);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a loop is itself only
  public Datagrams open(Loop loop, InetSocketAddress wanted, DatagramHandler handler)
      throws IOException {
    LoopStack started = running;
    if (started == null) {
      started = LoopStack.start(loop, stack, filter);
      running = started;
      owner = loop;
    } else if (owner != loop) {
      throw new IllegalStateException("the stack belongs to another loop");
    }
    return started.open(wanted, handler);
  }

  @Override
  public void close() {
    if (running == null) {
      stack.close();
    }
  }
}
