package sluice.vi;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import sluice.vi.device.Device;
import sluice.vi.device.DeviceProvider;

/// A network interface, or what stands in for one: the device that VIs are made on. Any thread may
/// call.
///
/// Lifecycle: opened by name → its VIs and servers are made and closed → closed, which ends its
/// thread; VIs that are still open no longer notice that a peer ends.
public final class Nic implements AutoCloseable {
  /// Planned devices that this build does not have.
  private static final Map<String, String> ABSENT =
      new TreeMap<>(
          Map.of("xdp", "this build has no device for AF_XDP and no network stack of its own"));

  private final String name;
  private final Device device;

  private Nic(String name, Device device) {
    this.name = name;
    this.device = device;
  }

  /// Opens the first device that can be used here: `local`, on Linux.
  ///
  /// @throws ViException when none can, with the reason for each
  public static Nic open() throws ViException {
    for (DeviceProvider provider : providers()) {
      for (String name : provider.names()) {
        if (provider.why(name).isEmpty()) {
          return open(provider, name);
        }
      }
    }
    throw new ViException("no device can be used here:\n" + describe(""));
  }

  /// Opens a device by name.
  ///
  /// @throws ViException when there is none of that name, or it cannot be used, with the reason
  public static Nic open(String name) throws ViException {
    for (DeviceProvider provider : providers()) {
      if (provider.names().contains(name)) {
        String why = provider.why(name);
        if (!why.isEmpty()) {
          throw new ViException(name + " cannot be used: " + why);
        }
        return open(provider, name);
      }
    }
    String absent = ABSENT.get(name);
    throw new ViException(
        "no device is called "
            + name
            + (absent == null ? "" : ": " + absent)
            + ". Known: "
            + String.join(", ", skipped().keySet()));
  }

  private static Nic open(DeviceProvider provider, String name) throws ViException {
    try {
      return new Nic(name, provider.open(name));
    } catch (IOException e) {
      throw new ViException(name + " could not be opened: " + e.getMessage(), e);
    }
  }

  private static ServiceLoader<DeviceProvider> providers() {
    return ServiceLoader.load(DeviceProvider.class, Nic.class.getClassLoader());
  }

  /// Every device of this build, and why it cannot be used here; empty where it can.
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
    ABSENT.forEach((name, why) -> out.append(name).append(": skipped: ").append(why).append('\n'));
    return out.toString();
  }

  /// Which device this is.
  public String name() {
    return name;
  }

  /// One line for each device: in use, can be used, or why it is skipped.
  public String why() {
    return describe(name);
  }

  /// A place that this device can connect to or listen at.
  public ViAddress address(String place) {
    return new ViAddress(this, place);
  }

  Device device() {
    return device;
  }

  @Override
  public void close() {
    device.close();
  }
}
