package sluice.vi.device;

import java.io.IOException;
import java.util.List;

/// A provider of one or more kinds of device. Found by [java.util.ServiceLoader]; any thread may
/// call.
public interface DeviceProvider {
  /// Returns the names of its devices, such as `local`, the best first.
  List<String> names();

  /// Returns the reason why a device cannot be used on this machine, with the fix; empty if it can.
  String why(String name);

  /// Returns the implementation of a usable device, if there is a choice; else empty.
  default String about(String name) {
    return "";
  }

  /// Opens a device with arguments.
  ///
  /// @param words the arguments, in the device's form
  /// @throws IOException if the arguments are wrong, or the named resources are not available
  default Device open(String name, String words) throws IOException {
    throw new DeviceException(
        Fault.MISCONFIGURED,
        "the device " + name + " is told nothing. Fix: open it by its name alone");
  }

  /// Opens a device.
  ///
  /// @param name one of [#names] whose [#why] is empty
  Device open(String name) throws IOException;
}
