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
import sluice.vi.device.Fault;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// Creates one end of a connection. It opens the endpoint, provides its address to the peer, and
/// exchanges the first message in each direction. Owned by the connecting or accepting thread.
///
/// The provider `shm` has a file in `/dev/shm` for each endpoint. The file is unlinked as soon as
/// both sides have mapped it, so that no file is left behind when a process is killed.
final class PortMaker {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final String SHM = "fi_shm://";

  private final String provider;
  private final PortSpec spec;
  private final long receiveTag = RANDOM.nextLong();

  /// The memory for the first messages. It is freed by the garbage collector, because an endpoint
  /// that cannot be closed may still write to it.
  private final MemorySegment first = Arena.ofAuto().allocate(2 * Long.BYTES, Long.BYTES);

  private @Nullable FabricEndpoint endpoint;
  private @Nullable ControlSocket control;
  private byte[] address = {};

  /// The number that identifies the pair of endpoints, which both sides know after the greetings.
  private long pairKey;

  private long sendTag;
  private PortSpec agreed;
  private boolean begins;
  private long deadline;
  private long key;
  private boolean sent;

  /// The number of first messages that have not completed.
  private int due;

  PortMaker(String provider, PortSpec spec) {
    this.provider = provider;
    this.spec = spec;
    agreed = spec;
  }

  /// Opens the endpoint. The first endpoint of a process loads libfabric, which may take seconds.
  Greeting greeting(int verdict, int transferBytes) throws IOException {
    FabricEndpoint opened = FabricEndpoint.open(provider, spec.sendDepth(), spec.receiveDepth());
    endpoint = opened;
    address = opened.address();
    return new Greeting(verdict, transferBytes, receiveTag, address);
  }

  /// Starts to exchange the first messages. The greetings must have been exchanged.
  ///
  /// @param socket the socket, which is owned by this object from now on, and later by the port
  /// @param sendsFirst true if this side sends first
  /// @param end the deadline according to [System#nanoTime]
  void begin(ControlSocket socket, Greeting peer, int transferBytes, boolean sendsFirst, long end)
      throws IOException {
    FabricEndpoint opened = opened();
    control = socket;
    pairKey = receiveTag ^ peer.receiveTag();
    sendTag = peer.receiveTag();
    agreed = spec.withTransferBytes(transferBytes);
    begins = sendsFirst;
    deadline = end;
    opened.peer(peer.address());
    key = opened.register(first, true);
    check(opened, opened.receive(first, 0, 1, key, receiveTag, 0));
    due = 1;
  }

  private FabricEndpoint opened() {
    FabricEndpoint opened = endpoint;
    if (opened == null) {
      throw new IllegalStateException("greeting comes first");
    }
    return opened;
  }

  /// Makes progress in the provider as far as possible without waiting.
  ///
  /// @return the port, or null if the first messages have not both been exchanged
  /// @throws PeerGoneException if the peer has ended or the timeout expires
  @Nullable Port advance() throws IOException {
    FabricEndpoint opened = opened();
    int count;
    do {
      if (!sent && (begins || due == 0)) {
        int result = opened.send(first, Long.BYTES, 1, key, sendTag, 1);
        if (result != -Errno.EAGAIN) { // else the provider connects first
          check(opened, result);
          sent = true;
          due++;
        }
      }
      count = opened.poll();
      check(opened, count);
      if (count > 0 && opened.failureOf(0) != null) {
        throw new PeerGoneException(Fault.PEER_LOST, "the first message: " + opened.failureOf(0));
      }
      due -= count;
    } while (count > 0);
    if (!sent || due > 0) {
      checkPeer();
      return null;
    }
    opened.unregister(key);
    removeFile();
    boolean asksKernel = provider.equals("tcp");
    return new OfiPort(agreed, opened, control(), receiveTag, sendTag, asksKernel);
  }

  private ControlSocket control() {
    ControlSocket socket = control;
    if (socket == null) {
      throw new IllegalStateException("begin comes first");
    }
    return socket;
  }

  private void checkPeer() throws PeerGoneException {
    if (control().look() != null) {
      throw new PeerGoneException(Fault.PEER_LOST, "the peer ended while the connection was made");
    }
    if (System.nanoTime() - deadline >= 0) {
      throw new PeerGoneException(Fault.TIMED_OUT, "the first message did not come in time");
    }
  }

  private static void check(FabricEndpoint opened, int result) throws IOException {
    if (result < 0) {
      throw new IOException("the first message: " + opened.describe(result));
    }
  }

  /// Releases everything after a failure. If the other end of an endpoint is in the same process
  /// and does not arrive, the endpoint remains open, but its file is unlinked.
  void abandon() {
    try {
      removeFile();
    } catch (IOException e) {
      // The file remains, as after a process was killed.
    }
    ControlSocket socket = control;
    if (socket != null) {
      socket.close();
    }
    FabricEndpoint opened = endpoint;
    if (opened != null && socket != null && socket.isSameProcess()) {
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
