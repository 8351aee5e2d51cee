package sluice.vi.device;

import java.io.IOException;
import java.util.List;

/// A provider of one or more kinds of devices, which is located by [java.util.ServiceLoader]. Any
/// thread may call.
public interface DeviceProvider {
  /// Returns the names of the provided devices, such as `local`, in order of preference.
  List<String> names();

  /// Returns the reason why a device cannot be used on this machine, together with a fix, or an
  /// empty string if it is usable.
  String why(String name);

  /// Returns the implementation that a usable device has selected, or an empty string if there is
  /// no choice.
  default String about(String name) {
    return "";
  }

  /// Opens a device with arguments.
  ///
  /// @param words the arguments in the format of the device
  /// @throws IOException if the arguments are invalid, or the named resources are not available
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
