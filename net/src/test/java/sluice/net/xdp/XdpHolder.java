package sluice.net.xdp;

import sluice.net.Ipv4Prefix;

/// Opens a port and keeps it open until the process is killed. A separate process, used by
/// [XdpCrashIT].
final class XdpHolder {
  private XdpHolder() {}

  public static void main(String[] args) throws Exception {
    XdpPort port = XdpPort.open(new XdpConfig("vA", Ipv4Prefix.parseAddress("10.9.0.2"), true, 1));
    System.out.println("open: " + port.mode());
    int _ = System.in.read();
    port.close();
  }
}
