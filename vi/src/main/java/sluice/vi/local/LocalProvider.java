package sluice.vi.local;

import java.io.IOException;
import java.util.List;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.vi.device.Device;
import sluice.vi.device.DeviceProvider;

/// The provider of the device `local`: shared memory between processes, with nothing to install.
/// Stateless.
public final class LocalProvider implements DeviceProvider {
  /// Creates the provider, for [java.util.ServiceLoader].
  public LocalProvider() {}

  @Override
  public List<String> names() {
    return List.of(LocalDevice.NAME);
  }

  @Override
  public String why(String name) {
    int fd = Files.memfd("sluice-vi-probe");
    if (fd < 0) {
      return "memfd_create: "
          + Errno.name(fd)
          + ". It needs Linux on x86-64 or aarch64, and a sandbox that allows memory files";
    }
    int _ = Files.close(fd);
    return "";
  }

  @Override
  public Device open(String name) throws IOException {
    return new LocalDevice();
  }
}
