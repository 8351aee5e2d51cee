package sluice.vi.ring;

import java.io.IOException;
import java.util.List;
import sluice.loop.engine.Backend;
import sluice.loop.server.Engines;
import sluice.vi.device.Device;
import sluice.vi.device.DeviceException;
import sluice.vi.device.DeviceProvider;
import sluice.vi.device.Fault;

/// The provider of the device `ring`: TCP by the loop's engines, io_uring if available. The system
/// property `sluice.vi.ring` names another engine. Stateless.
public final class RingProvider implements DeviceProvider {
  /// Creates the provider, for [java.util.ServiceLoader].
  public RingProvider() {}

  private static Backend wanted() throws IOException {
    return wanted(System.getProperty("sluice.vi.ring", "auto"), "the property sluice.vi.ring: ");
  }

  /// Parses the name of an engine.
  ///
  /// @param from the source of the name, for the message
  private static Backend wanted(String engine, String from) throws IOException {
    try {
      return Backend.parse(engine);
    } catch (IllegalArgumentException e) {
      throw new DeviceException(Fault.MISCONFIGURED, from + e.getMessage(), e);
    }
  }

  @Override
  public List<String> names() {
    return List.of("ring");
  }

  @Override
  public String why(String name) {
    try {
      Engines.Choice _ = Engines.choose(wanted());
      return "";
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Override
  public String about(String name) {
    try {
      Engines.Choice choice = Engines.choose(wanted());
      return "TCP by " + choice.backend() + " (" + choice.why().replace('\n', ' ') + ")";
    } catch (IOException e) {
      return "";
    }
  }

  @Override
  public Device open(String name) throws IOException {
    return new RingDevice(wanted());
  }

  /// @param words the name of the engine
  @Override
  public Device open(String name, String words) throws IOException {
    return new RingDevice(wanted(words, ""));
  }
}
