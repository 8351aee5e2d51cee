package sluice.net.xdp;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.net.port.DeviceMemory;
import sluice.net.port.FrameBatch;
import sluice.net.port.LinkListener;
import sluice.net.port.LinkWatch;
import sluice.net.port.PacketPort;
import sluice.sys.Epoll;
import sluice.sys.SysException;
import sluice.sys.xdp.ArpSocket;
import sluice.sys.xdp.NetInterface;

/// A port that uses AF_XDP on the queues of a network interface. Each instance is owned by one
/// thread.
///
/// Opening a port requires CAP_NET_RAW, CAP_NET_ADMIN and CAP_BPF. These capabilities may be
/// dropped afterwards.
public final class XdpPort implements PacketPort {
  private static final System.Logger LOGGER = System.getLogger("sluice.net");

  /// The maximum number of ARP frames that are processed by one call of [#look].
  private static final int MOST_HEARD = 256;

  /// The size of the buffer for an ARP frame.
  private static final int ARP_BYTES = 64;

  private final String device;
  private final QueueLayout layout;
  private final DeviceMemory memory;
  private final XdpFilter filter;
  private final List<XdpQueue> queues = new ArrayList<>();
  private @Nullable LinkWatch watch;
  private @Nullable ArpSocket arp;
  private @Nullable Epoll all;
  private int next;
  private boolean closed;

  private XdpPort(String device, QueueLayout layout, DeviceMemory memory, XdpFilter filter) {
    this.device = device;
    this.layout = layout;
    this.memory = memory;
    this.filter = filter;
  }

  /// Opens the queues and attaches the program.
  ///
  /// @throws IOException if the interface does not exist, its MTU is too large, or the kernel
  ///   refuses; the message contains the reason and a fix
  public static XdpPort open(XdpConfig config) throws IOException {
    String device = config.device();
    NetInterface found = NetInterface.named(device);
    QueueLayout layout = QueueLayout.of(device, found.mtu());
    int count = queues(config);
    XdpFilter filter =
        XdpFilter.load(config.address(), config.ownsAddress(), count, layout.sends() > 0);
    DeviceMemory memory;
    try {
      memory = DeviceMemory.allocate(count * layout.bytes());
    } catch (SysException e) {
      filter.close();
      throw e;
    }
    XdpPort made = new XdpPort(device, layout, memory, filter);
    try {
      made.openQueues(found.index(), count);
      made.watch(config, found);
      return made;
    } catch (IOException | RuntimeException e) {
      made.close();
      throw e;
    }
  }

  /// Checks that the device supports the configured number of queues.
  private static int queues(XdpConfig config) throws IOException {
    String device = config.device();
    int there = NetInterface.queues(device);
    int wanted = config.queues();
    if (wanted == 0) {
      wanted = Math.clamp(there, 1, XdpConfig.MOST_QUEUES);
    }
    if (there > 0 && wanted > there) {
      throw new IOException(
          "XdpPort.open("
              + device
              + "): it has no "
              + wanted
              + " queues\n  Why: ethtool -l "
              + device
              + " says "
              + there
              + "\n  Fix: queues="
              + there
              + ", or ethtool -L "
              + device
              + " combined "
              + wanted);
    }
    if (wanted < there) {
      LOGGER.log(
          Level.WARNING,
          "{0} has {1} queues, and what comes by those from number {2} on goes to the kernel. Fix:"
              + " queues={1}, or ethtool -L {0} combined {2}",
          device,
          there,
          wanted);
    }
    return wanted;
  }

  private void watch(XdpConfig config, NetInterface found) throws IOException {
    int most = queues.getFirst().most();
    if (found.mtu() > most) {
      throw LinkWatch.tooLong(
          device, found.mtu(), most, "this kernel puts no packet into several frames of AF_XDP");
    }
    watch = LinkWatch.open(device, found, most, config.address(), !config.ownsAddress());
    arp = ArpSocket.open(found.index());
  }

  private void openQueues(int interfaceIndex, int count) throws IOException {
    boolean zeroCopy = true;
    for (int i = 0; i < count; i++) {
      XdpQueue queue = XdpQueue.open(memory, i * layout.bytes(), layout, interfaceIndex, i);
      queues.add(queue);
      filter.give(i, queue.descriptor());
      zeroCopy &= queue.isZeroCopy();
    }
    filter.attach(interfaceIndex, zeroCopy || isHardware(device));
    if (count > 1) {
      Epoll made = Epoll.create();
      all = made;
      for (XdpQueue queue : queues) {
        int added = made.control(Epoll.EPOLL_CTL_ADD, queue.descriptor(), Epoll.EPOLLIN, 0);
        long _ = SysException.check(added, "epoll_ctl", device);
      }
    }
  }

  /// Returns true if the interface is implemented by hardware. Virtual interfaces are faster in
  /// generic mode.
  private static boolean isHardware(String device) {
    return Files.exists(Path.of("/sys/class/net", device, "device"));
  }

  /// Returns the mode, which consists of `zero-copy` or `copy`, and `native` or `generic`.
  public String mode() {
    boolean zeroCopy = queues.stream().allMatch(XdpQueue::isZeroCopy);
    return (zeroCopy ? "zero-copy, " : "copy, ") + (filter.isNative() ? "native" : "generic");
  }

  /// Returns the reasons for [#mode]. There is one line for `copy` and one line for the attachment,
  /// but only if the best mode was not available.
  public String why() {
    String copies =
        queues.stream().map(XdpQueue::why).filter(why -> !why.isEmpty()).findFirst().orElse("");
    String how = filter.why();
    return (copies.isEmpty() ? "" : "copy: " + copies + "\n")
        + (how.isEmpty() ? "" : (filter.isNative() ? "native: " : "generic: ") + how + "\n");
  }

  /// Redirects the datagrams of a UDP port from the kernel to the stack. This method is
  /// thread-safe.
  public void own(int port) throws SysException {
    filter.own(port);
  }

  /// Returns the datagrams of a port to the kernel.
  public void disown(int port) {
    if (!closed) {
      filter.disown(port);
    }
  }

  @Override
  public String name() {
    return "xdp:" + device;
  }

  @Override
  public MemorySegment memory() {
    return memory.segment();
  }

  @Override
  public int frameBytes() {
    return layout.sendBytes();
  }

  private LinkWatch watched() {
    return Objects.requireNonNull(watch);
  }

  @Override
  public long macAddress() {
    return watched().macAddress();
  }

  @Override
  public int mtu() {
    return watched().mtu();
  }

  @Override
  public boolean partialChecksums() {
    return true;
  }

  @Override
  public int descriptor() {
    return all == null ? queues.getFirst().descriptor() : all.fd();
  }

  @Override
  public int receive(FrameBatch into) {
    int count = 0;
    for (int i = 0; i < queues.size(); i++) {
      next = next + 1 < queues.size() ? next + 1 : 0;
      count += queues.get(next).receive(into);
    }
    return count;
  }

  private XdpQueue queue(long at) {
    return queues.get((int) (at / layout.bytes()));
  }

  @Override
  public long claim() {
    for (int i = 0; i < queues.size(); i++) {
      long frame = queues.get(i).claim();
      if (frame >= 0) {
        return frame;
      }
    }
    return -1;
  }

  @Override
  public void release(long at) {
    queue(at).release(at);
  }

  @Override
  public void send(long at, int bytes) {
    queue(at).send(at, bytes);
  }

  @Override
  public void flush() {
    for (int i = 0; i < queues.size(); i++) {
      queues.get(i).flush();
    }
  }

  /// Reports changes of the link and the ARP packets of other stations. The program passes these
  /// packets to the kernel, and copies of them are received on a socket.
  @Override
  public void look(LinkListener to) {
    watched().look(to);
    for (int i = 0; i < queues.size(); i++) {
      queues.get(i).look();
    }
    long frame = claim();
    if (frame >= 0) {
      try {
        hear(frame, to);
      } finally {
        release(frame);
      }
    }
  }

  private void hear(long frame, LinkListener to) {
    ArpSocket socket = Objects.requireNonNull(arp);
    for (int i = 0; i < MOST_HEARD; i++) {
      int bytes = socket.read(memory.segment(), frame, ARP_BYTES);
      if (bytes < 0) {
        return;
      }
      to.heard(frame, bytes);
    }
  }

  @Override
  public boolean isGone() {
    return watched().isGone();
  }

  @Override
  public long lost() {
    return queues.stream().mapToLong(XdpQueue::lost).sum();
  }

  /// Detaches the program, closes the sockets, and finally releases the frames.
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      filter.close();
      queues.forEach(XdpQueue::close);
      if (all != null) {
        all.close();
      }
      if (watch != null) {
        watch.close();
      }
      if (arp != null) {
        arp.close();
      }
      memory.close();
    }
  }
}
