package sluice.vi.ofi;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.fabric.FabricEndpoint;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// Makes one end of a connection: the endpoint, its address for the peer, and the first message in
/// each direction. Of the connecting or accepting thread.
///
/// The provider `shm` has a file in `/dev/shm` for each endpoint. Its name goes as soon as both
/// sides have mapped it, so that a process that is killed leaves nothing.
final class PortMaker {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final String SHM = "fi_shm://";

  private final String provider;
  private final ControlSocket control;
  private final PortSpec spec;
  private final long receiveTag = RANDOM.nextLong();

  /// For the first messages; the collector's, because an endpoint that cannot be closed may still
  /// write there.
  private final MemorySegment first = Arena.ofAuto().allocate(2 * Long.BYTES, Long.BYTES);

  private @Nullable FabricEndpoint endpoint;
  private byte[] address = {};

  /// What both sides know once they have heard each other; 0 before.
  private long pairKey;

  /// First messages that have not completed.
  private int due;

  PortMaker(String provider, ControlSocket control, PortSpec spec) {
    this.provider = provider;
    this.control = control;
    this.spec = spec;
  }

  Greeting greeting(int verdict, int transferBytes) throws IOException {
    FabricEndpoint opened = FabricEndpoint.open(provider, spec.sendDepth(), spec.receiveDepth());
    endpoint = opened;
    address = opened.address();
    return new Greeting(verdict, transferBytes, receiveTag, address);
  }

  /// Exchanges the first messages.
  ///
  /// @param begins whether this side sends first
  Port finish(Greeting peer, int transferBytes, boolean begins, long end) throws IOException {
    FabricEndpoint opened = endpoint;
    if (opened == null) {
      throw new IllegalStateException("greeting comes first");
    }
    pairKey = receiveTag ^ peer.receiveTag();
    opened.peer(peer.address());
    long key = opened.register(first, true);
    check(opened, opened.receive(first, 0, 1, key, receiveTag, 0));
    due = 1;
    if (!begins) {
      awaitAll(opened, end);
    }
    int sent = opened.send(first, Long.BYTES, 1, key, peer.receiveTag(), 1);
    while (sent == -Errno.EAGAIN) { // the provider connects first
      step(opened, end);
      sent = opened.send(first, Long.BYTES, 1, key, peer.receiveTag(), 1);
    }
    check(opened, sent);
    due++;
    awaitAll(opened, end);
    opened.unregister(key);
    removeFile();
    PortSpec agreed = spec.withTransferBytes(transferBytes);
    boolean asksKernel = provider.equals("tcp");
    return new OfiPort(agreed, opened, control, receiveTag, peer.receiveTag(), asksKernel);
  }

  private static void check(FabricEndpoint opened, int result) throws IOException {
    if (result < 0) {
      throw new IOException("the first message: " + opened.describe(result));
    }
  }

  private void awaitAll(FabricEndpoint opened, long end) throws IOException {
    while (due > 0) {
      step(opened, end);
    }
  }

  /// Lets the provider work, and naps when nothing has completed.
  private void step(FabricEndpoint opened, long end) throws IOException {
    int count = opened.poll();
    check(opened, count);
    if (count > 0 && opened.failureOf(0) != null) {
      throw new IOException("the first message: " + opened.failureOf(0));
    }
    due -= count;
    if (count == 0) {
      if (control.look() != null) {
        throw new PeerGoneException("the peer ended while the connection was made");
      }
      if (System.nanoTime() - end >= 0) {
        throw new PeerGoneException("the first message did not come in time");
      }
      ControlSocket.nap();
    }
  }

  /// After a failure: closes everything.
  void abandon() {
    control.close();
    FabricEndpoint opened = endpoint;
    if (opened != null && control.isSameProcess() && pairKey != 0) {
      boolean _ = SameProcess.end(pairKey, opened, new Flights(0));
    } else if (opened != null) {
      opened.close();
    }
  }

  private void removeFile() throws IOException {
    String name = new String(address, StandardCharsets.UTF_8).trim();
    if (provider.equals("shm") && name.startsWith(SHM)) {
      String file = name.substring(SHM.length()).replace("\0", "");
      if (!file.contains("/")) {
        boolean _ = Files.deleteIfExists(Path.of("/dev/shm", file));
      }
    }
  }
}
