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

/// UDP ports on our own network stack, in place of the kernel's sockets. The first [#open] assigns
/// the stack to its loop; only that loop may open more ports.
///
/// Lifecycle: opened with its device by any thread → run by a loop → closed with the loop. [#close]
/// is only for a stack that was not assigned to a loop.
public final class StackPorts implements DatagramPorts, AutoCloseable {
  private final Ipv4Stack stack;
  private final PortFilter filter;
  private @Nullable LoopStack running;
  private @Nullable Loop owner;

  StackPorts(PacketPort port, StackConfig config, PortFilter filter) {
    this.stack = new Ipv4Stack(port, config, NanoClock.SYSTEM, new SecureRandom().nextLong());
    this.filter = filter;
  }

  /// Opens the device of an option.
  ///
  /// @throws IOException if the device is not available; the message has the reason and the fix
  public static StackPorts open(StackOption option) throws IOException {
    return option.open();
  }

  /// Returns the ports of a stack over a given packet port.
  public static StackPorts over(PacketPort port, StackConfig config) {
    return new StackPorts(port, config, PortFilter.NONE);
  }

  /// Returns the name for messages, such as `tap:tap0`.
  public String name() {
    return stack.port().name();
  }

  /// Returns a description for users, such as `xdp:eth0 at 10.0.0.2/24`, with the mode of the
  /// driver.
  public String describe() {
    String mode = stack.port() instanceof XdpPort port ? " (" + port.mode() + ")" : "";
    return name() + mode + " at " + stack.config().address();
  }

  /// Returns the reasons for the driver's mode in [#describe], one per line; empty if the best mode
  /// was available.
  public String why() {
    return stack.port() instanceof XdpPort port ? port.why() : "";
  }

  /// Drops the capabilities that opening a device needs, permanently: in the calling thread, in
  /// threads that it starts from now on, and in programs that they run. Threads that run already
  /// keep them. If the thread that starts all other threads calls this first, these are only the
  /// JVM's own.
  ///
  /// @throws IOException if the kernel refuses; the message has the reason and the fix
  public void dropPrivileges() throws IOException {
    Capabilities.drop(
        Capabilities.CAP_NET_ADMIN,
        Capabilities.CAP_NET_RAW,
        Capabilities.CAP_SYS_ADMIN,
        Capabilities.CAP_PERFMON,
        Capabilities.CAP_BPF);
  }

  /// Returns the maximum length of a datagram that fits into one packet.
  public int datagramBytes() {
    return stack.port().mtu() - Ipv4Header.BYTES - UdpHeader.BYTES;
  }

  /// Returns true if only the stack uses its address. Otherwise it can only send to stations that
  /// it has received packets from.
  public boolean ownsAddress() {
    return stack.config().ownsAddress();
  }

  /// Returns the counters of the stack.
  public StackCounters counters() {
    return stack.counters();
  }

  /// Returns the stack, for tests.
  Ipv4Stack stack() {
    return stack;
  }

  /// Returns ports that always bind the stack's own address, whatever address is asked for. For
  /// callers that name addresses of the kernel.
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
