package sluice.vi;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import sluice.vi.device.Device;
import sluice.vi.device.DeviceProvider;
import sluice.vi.device.Failure;
import sluice.vi.device.Fault;

/// A network interface controller, or a substitute for one, on which VIs are created. Any thread
/// may call.
///
/// Lifecycle: opened by name → VIs and servers are created and closed → closed. Closing the device
/// closes its servers, fails its VIs and terminates its thread.
public final class Nic implements AutoCloseable {
  private final String name;
  private final Device device;
  private final Set<Runnable> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  Nic(String name, Device device) {
    this.name = name;
    this.device = device;
  }

  /// Opens the first device that is usable on this machine, which is `local` on Linux.
  ///
  /// @throws ViException if no device is usable; the message contains the reason for each
  public static Nic open() throws ViException {
    for (DeviceProvider provider : providers()) {
      for (String name : provider.names()) {
        if (provider.why(name).isEmpty()) {
          return open(provider, name);
        }
      }
    }
    throw new ViMisconfigured("no device can be used here:\n" + describe(""));
  }

  /// Opens the device with the given name.
  ///
  /// @throws ViException if there is no such device or it is not usable; the message contains the
  ///   reason
  public static Nic open(String name) throws ViException {
    DeviceProvider provider = provider(name);
    String why = provider.why(name);
    if (!why.isEmpty()) {
      throw new ViMisconfigured(name + " cannot be used: " + why);
    }
    return open(provider, name);
  }

  /// Opens a device by name with its arguments.
  ///
  /// @param words the arguments of the device. For `xdp`, these are the driver, interface and
  ///   address, and optionally a gateway, such as `xdp:eth0,10.0.0.2/24,via=10.0.0.1` or
  ///   `tap:tap0,10.0.0.2/24`; for `ring`, the engine, such as `epoll`. Other devices have no
  ///   arguments
  /// @throws ViException if there is no such device, the arguments are invalid, or the named
  ///   resources are not available; the message contains the reason and a fix
  public static Nic open(String name, String words) throws ViException {
    try {
      return new Nic(name, provider(name).open(name, words));
    } catch (IOException e) {
      throw ViFaults.of(name + " could not be opened", e);
    }
  }

  private static DeviceProvider provider(String name) throws ViException {
    for (DeviceProvider provider : providers()) {
      if (provider.names().contains(name)) {
        return provider;
      }
    }
    throw new ViMisconfigured(
        "no device is called " + name + ". Known: " + String.join(", ", names()));
  }

  private static Nic open(DeviceProvider provider, String name) throws ViException {
    try {
      return new Nic(name, provider.open(name));
    } catch (IOException e) {
      throw ViFaults.of(name + " could not be opened", e);
    }
  }

  private static ServiceLoader<DeviceProvider> providers() {
    return ServiceLoader.load(DeviceProvider.class, Nic.class.getClassLoader());
  }

  /// Returns the names of all devices in this build, including those that are not usable on this
  /// machine.
  public static List<String> names() {
    List<String> all = new ArrayList<>();
    providers().forEach(provider -> all.addAll(provider.names()));
    return all;
  }

  /// Returns every device in this build with the reason why it is not usable on this machine, or an
  /// empty string if it is usable.
  public static Map<String, String> skipped() {
    Map<String, String> all = new LinkedHashMap<>();
    for (DeviceProvider provider : providers()) {
      provider.names().forEach(name -> all.put(name, provider.why(name)));
    }
    return all;
  }

  private static String describe(String used) {
    StringBuilder out = new StringBuilder();
    for (DeviceProvider provider : providers()) {
      for (String name : provider.names()) {
        String why = provider.why(name);
        String state = name.equals(used) ? "in use" : why.isEmpty() ? "can be used" : "skipped";
        String more = why.isEmpty() ? provider.about(name) : why;
        out.append(name).append(": ").append(state);
        out.append(more.isEmpty() ? "" : ": ").append(more).append('\n');
      }
    }
    return out.toString();
  }

  /// Returns the name of the device.
  public String name() {
    return name;
  }

  /// Returns one line for each device, which states that it is in use, that it is usable, or why it
  /// is not usable.
  public String why() {
    return describe(name);
  }

  /// Returns an address to which VIs of this device can connect, or at which servers can listen.
  public ViAddress address(String place) {
    return new ViAddress(this, place);
  }

  /// Returns the device.
  ///
  /// @throws ViClosed if it has been closed
  Device device() throws ViClosed {
    if (closed) {
      throw isClosed(null);
    }
    return device;
  }

  private static ViClosed isClosed(@Nullable IOException cause) {
    return new ViClosed("the device is closed. Fix: open another Nic, and close it last", cause);
  }

  /// Returns the failure that is reported to the program of a VI. When this device is closed, its
  /// VIs are ended one after another, so if two of them are connected, one of them observes the end
  /// of its peer before it is ended itself. Since this device is marked as closed before any VI is
  /// ended, the closed device is reported as the cause of both failures.
  Failure told(Failure why) {
    return closed && why.fault() == Fault.PEER_CLOSED ? Failure.DEVICE_CLOSED : why;
  }

  /// Returns the exception for a failed call to the device, translated as by [#told]. If a server
  /// of this device is closed together with the device, its clients are therefore not reported as
  /// refused.
  ViException told(String doing, IOException thrown) {
    return closed ? isClosed(thrown) : ViFaults.of(doing, thrown);
  }

  /// Registers an open server or VI, which must be ended before the device is closed.
  ///
  /// @param ending the action that ends it, which must also be passed to [#closed]
  void opened(Runnable ending) {
    open.add(ending);
    if (closed) {
      ending.run();
    }
  }

  void closed(Runnable ending) {
    open.remove(ending);
  }

  /// Closes the servers, ends the VIs, and then closes the device. Pending operations fail with
  /// [ViClosed]. VIs must still be closed by their owners. Idempotent.
  @Override
  public void close() {
    closed = true;
    open.forEach(Runnable::run);
    device.close();
  }
}
