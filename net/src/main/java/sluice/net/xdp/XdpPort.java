package sluice.net.xdp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.net.port.DeviceMemory;
import sluice.net.port.FrameBatch;
import sluice.net.port.PacketPort;
import sluice.sys.Epoll;
import sluice.sys.SysException;
import sluice.sys.xdp.NetInterface;

/// A port on queues of a network interface, by AF_XDP. Owned by one thread.
///
/// Set-up needs CAP_NET_RAW, CAP_NET_ADMIN and CAP_BPF; afterwards they may be dropped.
public final class XdpPort implements PacketPort {
  private static final long QUEUE_BYTES = (long) XdpQueue.FRAMES * XdpQueue.FRAME_BYTES;
  private static final int ETHERNET_BYTES = 14;
  private static final int MOST_MTU =
      XdpQueue.FRAME_BYTES - XdpQueue.HEADROOM_BYTES - ETHERNET_BYTES;

  private final String device;
  private final long macAddress;
  private final int mtu;
  private final DeviceMemory memory;
  private final XdpFilter filter;
  private final List<XdpQueue> queues = new ArrayList<>();
  private @Nullable Epoll all;
  private int next;
  private boolean closed;

  private XdpPort(String device, NetInterface found, DeviceMemory memory, XdpFilter filter) {
    this.device = device;
    this.macAddress = found.macAddress();
    this.mtu = Math.min(found.mtu(), MOST_MTU);
    this.memory = memory;
    this.filter = filter;
  }

  /// Opens the queues and attaches the program.
  ///
  /// @throws IOException when the interface is not there, or the kernel refuses; the message says
  ///   why and what to do
  public static XdpPort open(XdpConfig config) throws IOException {
    NetInterface found = NetInterface.named(config.device());
    XdpFilter filter = XdpFilter.load(config.address(), config.ownsAddress(), config.queues());
    DeviceMemory memory;
    try {
      memory = DeviceMemory.allocate(config.queues() * QUEUE_BYTES);
    } catch (SysException e) {
      filter.close();
      throw e;
    }
    XdpPort made = new XdpPort(config.device(), found, memory, filter);
    try {
      made.openQueues(found.index(), config.queues());
      return made;
    } catch (IOException | RuntimeException e) {
      made.close();
      throw e;
    }
  }

  private void openQueues(int interfaceIndex, int count) throws IOException {
    boolean zeroCopy = true;
    for (int i = 0; i < count; i++) {
      XdpQueue queue = XdpQueue.open(memory, i * QUEUE_BYTES, interfaceIndex, i);
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

  /// Virtual interfaces are faster behind the driver.
  private static boolean isHardware(String device) {
    return Files.exists(Path.of("/sys/class/net", device, "device"));
  }

  /// `zero-copy` or `copy`, `native` or `generic`.
  public String mode() {
    boolean zeroCopy = queues.stream().allMatch(XdpQueue::isZeroCopy);
    return (zeroCopy ? "zero-copy, " : "copy, ") + (filter.isNative() ? "native" : "generic");
  }

  /// Why it works as [#mode] says: a line for copies and a line for the attachment, each empty
  /// where the best way was had.
  public String why() {
    String copies =
        queues.stream().map(XdpQueue::why).filter(why -> !why.isEmpty()).findFirst().orElse("");
    String how = filter.why();
    return (copies.isEmpty() ? "" : "copy: " + copies + "\n")
        + (how.isEmpty() ? "" : (filter.isNative() ? "native: " : "generic: ") + how + "\n");
  }

  /// Takes the datagrams of a port of UDP from the kernel. By any thread.
  public void own(int port) throws SysException {
    filter.own(port);
  }

  /// Leaves the datagrams of a port to the kernel.
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
    return XdpQueue.FRAME_BYTES;
  }

  @Override
  public long macAddress() {
    return macAddress;
  }

  @Override
  public int mtu() {
    return mtu;
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
    return queues.get((int) (at / QUEUE_BYTES));
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

  @Override
  public long lost() {
    return queues.stream().mapToLong(XdpQueue::lost).sum();
  }

  /// Detaches the program, closes the sockets, and only then gives the frames back.
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      filter.close();
      queues.forEach(XdpQueue::close);
      if (all != null) {
        all.close();
      }
      memory.close();
    }
  }
}
