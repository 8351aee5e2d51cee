package sluice.host.net;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Backend;
import sluice.net.Ipv4Prefix;
import sluice.net.transport.StackOption;
import sluice.net.transport.StackPorts;
import sluice.vi.Nic;
import sluice.vi.ViException;

/// The settings of a network. They specify a device for Virtual Interfaces and, for some devices, a
/// network stack in this process that can also be used by an export. Instances are immutable and
/// thread-safe.
///
/// ```java
/// NetSettings lan = HostFile.read(Path.of("all.toml")).net("lan");
/// try (Nic nic = lan.open()) {
///   ViServer server = new ViServer(nic.address("prices"), 7);
/// }
/// ```
///
/// @param name the name of the network, which is unique within a file; on a command line, it is the
///   option that specifies the network
/// @param device the device for [Nic#open(String)]
/// @param stack the stack of the device `xdp`, or null for all other devices
/// @param backend the engine of the device `ring`, or AUTO for all other devices
public record NetSettings(
    String name, String device, @Nullable StackOption stack, Backend backend) {

  /// Opens the device.
  ///
  /// @throws ViException if the device cannot be used on this machine; the message contains the
  ///   reason and a fix
  public Nic open() throws ViException {
    if (stack != null) {
      return Nic.open(device, stack.toString());
    }
    return backend == Backend.AUTO ? Nic.open(device) : Nic.open(device, backend.toString());
  }

  /// Opens only the network stack, for datagrams.
  ///
  /// @throws IOException if the stack cannot be used on this machine; the message contains the
  ///   reason and a fix
  /// @throws IllegalStateException if the device has no stack
  public StackPorts openStack() throws IOException {
    if (stack == null) {
      throw new IllegalStateException("the device " + device + " has no network stack");
    }
    return StackPorts.open(stack);
  }

  /// Returns a description such as `tap tap0 at 10.9.0.1/24` or `ring by epoll`.
  public String describe() {
    if (stack == null) {
      return device + (backend == Backend.AUTO ? "" : " by " + backend);
    }
    return stack.driver()
        + " "
        + stack.device()
        + " at "
        + stack.address()
        + (stack.gateway() == 0 ? "" : " via " + Ipv4Prefix.text(stack.gateway()))
        + (stack.queues() == 0 ? "" : ", queues " + stack.queues());
  }
}
