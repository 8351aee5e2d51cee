package sluice.vi.device;

import java.io.IOException;
import java.util.List;

/// Offers one or more kinds of device. Found by [java.util.ServiceLoader]; any thread may call.
public interface DeviceProvider {
  /// Names of its devices, such as `local`, the best first.
  List<String> names();

  /// Why a device cannot be used on this machine, with the fix; empty when it can.
  String why(String name);

  /// What a device that can be used is made of here, where that is a choice; else empty.
  default String about(String name) {
    return "";
  }

  /// Opens a device that is told what to use.
  ///
  /// @param words in the form that the device knows
  /// @throws IOException when the words are wrong, or what they name is not to be had
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
