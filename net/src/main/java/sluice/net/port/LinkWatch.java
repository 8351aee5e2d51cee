package sluice.net.port;

import java.io.IOException;
import sluice.net.Ipv4Prefix;
import sluice.sys.Errno;
import sluice.sys.SysException;
import sluice.sys.xdp.NetInterface;
import sluice.sys.xdp.RouteSocket;

/// Monitors the MTU, the state, the existence and the addresses of a network interface. Instances
/// are owned by the port's thread, which calls [#look] a few times per second, so that no thread
/// has to wait for the descriptor. If a message was lost, the state is queried from the kernel
/// again.
public final class LinkWatch implements AutoCloseable {
  /// The maximum number of messages that are read by one call of [#look].
  private static final int MOST_READS = 64;

  private final String device;
  private final int index;
  private final int most;
  private final int address;
  private final RouteSocket socket;
  private int mtu;
  private long mac;
  private boolean up = true;
  private boolean gone;

  /// True if the kernel has dropped messages because there was not enough space in the receive
  /// buffer.
  private boolean overrun;

  /// True if the address of the stack is assigned to the interface in the kernel.
  private boolean kernelHas;

  /// True if the address has been found in the current answer to [RouteSocket#askAddresses]. It
  /// takes effect when the answer is complete.
  private boolean named;

  /// Creates a monitor.
  ///
  /// @param most the maximum packet length that the port can receive
  /// @param address the address of the stack, in host order, or 0 if addresses are not monitored
  private LinkWatch(String device, NetInterface found, int most, int address, RouteSocket socket) {
    this.device = device;
    this.index = found.index();
    this.mtu = found.mtu();
    this.mac = found.macAddress();
    this.most = most;
    this.address = address;
    this.socket = socket;
  }

  /// Starts monitoring an interface.
  ///
  /// @param found the state that is known to the port; the first call of [#look] reports any
  ///   differences
  /// @param most the maximum packet length that the port can receive
  /// @param address the address of the stack, in host order, or 0 if the interface is the kernel's
  ///   end of a TAP device, whose addresses are irrelevant
  /// @param kernelHas true if this address is assigned to the interface in the kernel
  public static LinkWatch open(
      String device, NetInterface found, int most, int address, boolean kernelHas)
      throws SysException {
    LinkWatch made = new LinkWatch(device, found, most, address, RouteSocket.open());
    made.kernelHas = kernelHas;
    made.ask();
    return made;
  }

  private void ask() {
    int _ = socket.askLink(index);
    named = false;
    if (address != 0) {
      int _ = socket.askAddresses();
    }
  }

  /// Returns the maximum packet length that is currently supported by both the link and the port.
  public int mtu() {
    return Math.min(mtu, most);
  }

  /// Returns the current hardware address of the interface.
  public long macAddress() {
    return mac;
  }

  /// Returns true if the interface was deleted or moved to another namespace.
  public boolean isGone() {
    return gone;
  }

  /// Reports all changes since the last call.
  public void look(LinkListener to) {
    for (int i = 0; i < MOST_READS && !gone; i++) {
      int came = socket.read();
      if (came == -Errno.ENOBUFS) {
        overrun = true;
      } else if (came < 0) {
        if (!overrun) {
          return;
        }
        overrun = false;
        ask(); // there is space for the answer now
      }
      while (!gone && socket.next()) {
        handle(to);
      }
    }
  }

  private void handle(LinkListener to) {
    boolean ours = socket.index() == index;
    switch (socket.type()) {
      case RouteSocket.RTM_NEWLINK -> {
        if (ours) {
          link(to);
        }
      }
      case RouteSocket.RTM_DELLINK -> {
        if (ours) {
          vanish(to);
        }
      }
      case RouteSocket.NLMSG_ERROR -> {
        if (socket.error() == -Errno.ENODEV) {
          vanish(to);
        }
      }
      case RouteSocket.RTM_NEWADDR -> {
        if (ours && isOwnAddress()) {
          named = true;
          kernelHas(true, to);
        }
      }
      case RouteSocket.RTM_DELADDR -> {
        if (ours && isOwnAddress()) {
          named = false;
          kernelHas(false, to);
        }
      }
      case RouteSocket.NLMSG_DONE -> kernelHas(named, to);
      default -> {}
    }
  }

  private boolean isOwnAddress() {
    return address != 0 && socket.address() == address;
  }

  private void link(LinkListener to) {
    if (socket.mtu() > 0 && socket.mtu() != mtu) {
      int before = mtu;
      mtu = socket.mtu();
      to.changed(LinkChange.MTU, mtuLine(before));
    }
    if (address != 0 && socket.mac() >= 0 && socket.mac() != mac) {
      mac = socket.mac();
      to.changed(
          LinkChange.HARDWARE,
          "the hardware address of " + device + " is now " + text(mac) + ", which is announced");
    }
    int wanted = RouteSocket.IFF_UP | RouteSocket.IFF_RUNNING;
    boolean now = (socket.flags() & wanted) == wanted;
    if (now != up) {
      up = now;
      to.changed(now ? LinkChange.UP : LinkChange.DOWN, device + (now ? " is up" : downLine()));
    }
  }

  private String mtuLine(int before) {
    String changed = "the MTU of " + device + " was " + before + " and is now " + mtu;
    return mtu <= most
        ? changed + ": longer packets are sent in fragments"
        : changed
            + ": packets above "
            + most
            + " are lost, as the memory for frames was made for less. Fix: start again, or ip link"
            + " set dev "
            + device
            + " mtu "
            + most;
  }

  private String downLine() {
    return " is down: nothing comes or goes. Fix: ip link set dev "
        + device
        + " up, or look at its cable";
  }

  private void vanish(LinkListener to) {
    gone = true;
    to.changed(
        LinkChange.GONE,
        "the interface "
            + device
            + " is gone: nothing comes or goes any more. Fix: make it again, and start again");
  }

  private void kernelHas(boolean now, LinkListener to) {
    if (address == 0 || now == kernelHas) {
      return;
    }
    kernelHas = now;
    String text = Ipv4Prefix.text(address);
    to.changed(
        LinkChange.ADDRESS,
        now
            ? "the kernel has got "
                + text
                + " on "
                + device
                + " too, which is used here. Fix: ip"
                + " addr del "
                + text
                + " dev "
                + device
                + ", or start again to share it"
            : "the kernel has lost "
                + text
                + " on "
                + device
                + ", and answers ARP for it no more."
                + " Fix: give it back, or start again to own the address here");
  }

  /// Returns an exception that reports that the MTU of an interface is too large for the port.
  ///
  /// @param most the maximum packet length of the port
  /// @param why the reason for this maximum
  public static IOException tooLong(String device, int mtu, int most, String why) {
    return new IOException(
        "open("
            + device
            + "): the MTU of "
            + mtu
            + " is above "
            + most
            + "\n  Why: "
            + why
            + ", and what is longer would be lost in silence\n  Fix: ip link set dev "
            + device
            + " mtu "
            + most
            + ", and the same at the other ends of the link");
  }

  /// Formats a hardware address.
  public static String text(long mac) {
    StringBuilder text = new StringBuilder();
    for (int shift = 40; shift >= 0; shift -= 8) {
      text.append(shift == 40 ? "" : ":").append(String.format("%02x", mac >>> shift & 0xff));
    }
    return text.toString();
  }

  @Override
  public void close() {
    socket.close();
  }
}
