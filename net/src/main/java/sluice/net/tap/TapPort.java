package sluice.net.tap;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.net.port.FrameBatch;
import sluice.net.port.FramePool;
import sluice.net.port.LinkListener;
import sluice.net.port.LinkWatch;
import sluice.net.port.PacketPort;
import sluice.sys.Files;
import sluice.sys.xdp.NetInterface;
import sluice.sys.xdp.TapDevice;

/// A port on a TAP device. The station at the other end of its virtual cable is the kernel of this
/// machine. Each instance is owned by one thread.
///
/// Each frame requires a system call, so this port is intended for machines, containers and tests
/// without AF_XDP. A frame that is not immediately accepted by the kernel is lost, as on a physical
/// wire.
public final class TapPort implements PacketPort {
  private static final int FRAMES = 1024;

  /// The size of a frame. It is one byte more than the maximum length, so that a frame is
  /// completely filled only if the received frame was too long.
  private static final int FRAME_BYTES = 16 << 10;

  private final String device;
  private final int fd;
  private final LinkWatch watch;
  private final long macAddress;
  private final Block block;
  private final FramePool pool = new FramePool(0, FRAMES, FRAME_BYTES);
  private long lost;
  private boolean closed;

  private TapPort(String device, int fd, LinkWatch watch) {
    this.device = device;
    this.fd = fd;
    this.watch = watch;
    this.macAddress = stationAddress();
    Account account = new Account(device + " frames", Long.MAX_VALUE / 2);
    Block made = Block.allocate(account, (long) FRAMES * FRAME_BYTES);
    if (made == null) {
      throw new IllegalStateException("no room for frames: " + account);
    }
    this.block = made;
  }

  /// Opens a TAP device. If the device does not exist, it is created, provided that the process has
  /// the required privileges.
  ///
  /// @throws IOException if the device is in use or not available, or its MTU is too large; the
  ///   message contains a fix
  public static TapPort open(String device) throws IOException {
    int fd = TapDevice.open(device);
    try {
      NetInterface found = NetInterface.named(device);
      if (found.mtu() > MOST_MTU) {
        throw LinkWatch.tooLong(device, found.mtu(), MOST_MTU, "frames have that much room");
      }
      return new TapPort(device, fd, LinkWatch.open(device, found, MOST_MTU, 0, false));
    } catch (IOException | RuntimeException e) {
      int _ = Files.close(fd);
      throw e;
    }
  }

  /// Returns a random locally administered unicast address (IEEE 802, section 8.2.2).
  private static long stationAddress() {
    return (new SecureRandom().nextLong() & 0xfcff_ffff_ffffL) | 0x0200_0000_0000L;
  }

  @Override
  public String name() {
    return "tap:" + device;
  }

  @Override
  public MemorySegment memory() {
    return block.segment();
  }

  @Override
  public int frameBytes() {
    return FRAME_BYTES;
  }

  @Override
  public long macAddress() {
    return macAddress;
  }

  @Override
  public int mtu() {
    return watch.mtu();
  }

  @Override
  public int descriptor() {
    return fd;
  }

  @Override
  public int receive(FrameBatch into) {
    int count = 0;
    for (int i = 0; i < FRAMES && !into.isFull(); i++) {
      long frame = pool.claim();
      if (frame < 0) {
        return count;
      }
      int bytes = Files.read(fd, block.segment(), frame, FRAME_BYTES);
      if (bytes <= 0) {
        pool.release(frame);
        return count;
      }
      if (bytes == FRAME_BYTES) { // truncated
        lost++;
        pool.release(frame);
        continue;
      }
      into.add(frame, bytes);
      count++;
    }
    return count;
  }

  @Override
  public long claim() {
    return pool.claim();
  }

  @Override
  public void release(long at) {
    pool.release(at);
  }

  @Override
  public void send(long at, int bytes) {
    if (Files.write(fd, block.segment(), at, bytes) != bytes) {
      lost++;
    }
    pool.release(at);
  }

  @Override
  public void flush() {}

  /// Reports changes of the kernel's end of the cable. Only this end has a hardware address and an
  /// IPv4 address that may change.
  @Override
  public void look(LinkListener to) {
    watch.look(to);
  }

  @Override
  public boolean isGone() {
    return watch.isGone();
  }

  @Override
  public long lost() {
    return lost;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      int _ = Files.close(fd);
      watch.close();
      block.release();
    }
  }
}
