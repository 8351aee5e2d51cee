package sluice.vi.ofi;

import java.io.IOException;
import java.util.List;
import sluice.sys.fabric.Libfabric;
import sluice.vi.device.Device;
import sluice.vi.device.DeviceProvider;

/// Provides the providers of libfabric as the devices `ofi-shm`, `ofi-tcp`, `ofi-verbs` and
/// `ofi-efa`. The last two use the same code but have not been tested on hardware. Stateless.
public final class OfiProvider implements DeviceProvider {
  private static final String PREFIX = "ofi-";

  /// Creates the provider for [java.util.ServiceLoader].
  public OfiProvider() {}

  @Override
  public List<String> names() {
    return List.of("ofi-shm", "ofi-tcp", "ofi-verbs", "ofi-efa");
  }

  @Override
  public String why(String name) {
    return Libfabric.why(fabricName(name));
  }

  private static String fabricName(String name) {
    return name.substring(PREFIX.length());
  }

  @Override
  public Device open(String name) throws IOException {
    return new OfiDevice(fabricName(name));
  }
}
