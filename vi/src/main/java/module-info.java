import org.jspecify.annotations.NullMarked;
import sluice.vi.device.DeviceProvider;

/// Virtual Interfaces modeled on Javia, which exchange messages between registered buffers below
/// the socket API.
@NullMarked
module sluice.vi {
  requires static org.jspecify;
  requires sluice.loop;
  requires sluice.memory;
  requires sluice.net;
  requires sluice.sys;

  exports sluice.vi;

  uses DeviceProvider;

  provides DeviceProvider with
      sluice.vi.local.LocalProvider,
      sluice.vi.ofi.OfiProvider,
      sluice.vi.ring.RingProvider,
      sluice.vi.xdp.XdpProvider;
}
