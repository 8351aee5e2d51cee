package sluice.host.net;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Backend;
import sluice.net.Ipv4Prefix;
import sluice.net.transport.StackOption;
import sluice.net.transport.StackPorts;
import sluice.vi.Nic;
import sluice.vi.ViException;

/// The settings of a network: a device for Virtual Interfaces, and for some devices a network stack
/// in this process, which an export may use too. Immutable and thread-safe.
///
/// ```java
/// NetSettings lan = HostFile.read(Path.of("all.toml")).net("lan");
/// try (Nic nic = lan.open()) {
///   ViServer server = new ViServer(nic.address("prices"), 7);
/// }
/// ```
///
/// @param name the name, unique in a file; on a command line the option that names the network
/// @param device the device for [Nic#open(String)]
/// @param stack the stack of the device `xdp`; null for other devices
/// @param backend the engine of the device `ring`; AUTO for other devices
public record NetSettings(
    String name, String device, @Nullable StackOption stack, Backend backend) {

  /// Opens the device.
  ///
  /// @throws ViException if it cannot be used here, with reason and fix
  public Nic open() throws ViException {
    if (stack != null) {
      return Nic.open(device, stack.toString());
    }
    return backend == Backend.AUTO ? Nic.open(device) : Nic.open(device, backend.toString());
  }

  /// Opens only the network stack, for datagrams.
  ///
  /// @throws IOException if it cannot be used here, with reason and fix
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
