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

/// UDP ports on a network stack in this process, which are used instead of sockets of the kernel.
/// The first call of [#open] assigns the stack to its loop. Afterwards, only this loop may open
/// more ports.
///
/// The stack and its device may be opened by any thread. The stack is then run by a loop and is
/// closed together with this loop. [#close] is required only for a stack that was not assigned to a
/// loop.
public final class StackPorts implements DatagramPorts, AutoCloseable {
  private final Ipv4Stack stack;
  private final PortFilter filter;
  private @Nullable LoopStack running;
  private @Nullable Loop owner;

  StackPorts(PacketPort port, StackConfig config, PortFilter filter) {
    this.stack = new Ipv4Stack(port, config, NanoClock.SYSTEM, new SecureRandom().nextLong());
    this.filter = filter;
  }

  /// Opens the device that is specified by an option.
  ///
  /// @throws IOException if the device is not available; the message contains the reason and a fix
  public static StackPorts open(StackOption option) throws IOException {
    return option.open();
  }

  /// Returns the ports of a new stack over the given packet port.
  public static StackPorts over(PacketPort port, StackConfig config) {
    return new StackPorts(port, config, PortFilter.NONE);
  }

  /// Returns the name of the device for messages, such as `tap:tap0`.
  public String name() {
    return stack.port().name();
  }

  /// Returns a description for users, such as `xdp:eth0 at 10.0.0.2/24`, including the mode of the
  /// driver.
  public String describe() {
    String mode = stack.port() instanceof XdpPort port ? " (" + port.mode() + ")" : "";
    return name() + mode + " at " + stack.config().address();
  }

  /// Returns the reasons for the driver's mode in [#describe], one per line. The text is empty if
  /// the best mode was available.
  public String why() {
    return stack.port() instanceof XdpPort port ? port.why() : "";
  }

  /// Permanently drops the capabilities that are required to open a device. This applies to the
  /// calling thread, to threads that it starts afterwards, and to programs that are executed by
  /// these threads. Threads that are already running retain their capabilities. If the thread that
  /// starts all other threads calls this method first, these are only the JVM's own threads.
  ///
  /// @throws IOException if the kernel refuses; the message contains the reason and a fix
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

  /// Returns true if the address is used only by the stack. Otherwise, the stack can send only to
  /// stations from which it has received packets.
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

  /// Returns ports that always bind the stack's own address, regardless of the requested address.
  /// This is intended for callers that specify addresses of the kernel.
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
