package sluice.net.stack;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import sluice.loop.engine.NanoClock;
import sluice.memory.Account;
import sluice.net.StackConfig;
import sluice.net.port.FrameBatch;
import sluice.net.port.LinkChange;
import sluice.net.port.LinkListener;
import sluice.net.port.PacketPort;
import sluice.net.wire.EthernetHeader;

/// A network stack that implements ARP, IPv4, ICMP and UDP over one port. It is owned by one
/// thread, which must make all calls. This thread calls [#poll] when frames may have arrived, and
/// [#tick] a few times per second.
///
/// A stack is created over a port, which it then owns. It is polled until it is closed together
/// with the port.
public final class Ipv4Stack implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger("sluice.net");

  /// The maximum number of frames per batch, and of batches per call of [#poll].
  private static final int BATCH = 64;

  private static final int BATCHES = 4;

  private final PacketPort port;
  private final StackConfig config;
  private final NanoClock clock;
  private final StackCounters counters = new StackCounters();
  private final FrameBatch batch = new FrameBatch(BATCH);
  private final LinkOutput link;
  private final Reassembly reassembly;
  private final Ipv4Output output;
  private final Icmp icmp;
  private final Udp udp;
  private final Ipv4Input input;
  private final LinkListener listener = new Changes();
  private boolean polling;
  private boolean closed;

  /// Processes the events of the link.
  private final class Changes implements LinkListener {
    @Override
    public void changed(LinkChange change, String line) {
      counters.add(change);
      LOGGER.log(change == LinkChange.UP ? Level.INFO : Level.WARNING, line);
      output.fit();
      if (change == LinkChange.HARDWARE) {
        link.announce();
      }
    }

    @Override
    public void heard(long frame, int bytes) {
      MemorySegment memory = port.memory();
      int payload = bytes - EthernetHeader.BYTES;
      if (payload > 0 && EthernetHeader.type(memory, frame) == EthernetHeader.TYPE_ARP) {
        link.arpReceived(memory, frame + EthernetHeader.BYTES, payload);
      }
    }
  }

  /// Creates a stack.
  ///
  /// @param port the port, which is closed together with the stack
  /// @param clock the clock, which may be the clock of a simulation
  /// @param seed the secret seed that is used to generate packet IDs and dynamic ports
  public Ipv4Stack(PacketPort port, StackConfig config, NanoClock clock, long seed) {
    this.port = port;
    this.config = config;
    this.clock = clock;
    Account account = new Account(port.name() + " stack", Long.MAX_VALUE / 2);
    link = new LinkOutput(port, config, counters, clock.nanos());
    reassembly = new Reassembly(config.limits().reassemblies(), account, counters);
    SecretNumbers secret = new SecretNumbers(seed);
    output = new Ipv4Output(port, link, counters, config.address(), new PacketIds(secret));
    icmp = new Icmp(output, counters, config, clock, account);
    udp = new Udp(output, counters, config.address(), port.partialChecksums(), secret);
    input =
        new Ipv4Input(config, counters, clock, new Ipv4Input.Layers(reassembly, link, icmp, udp));
  }

  /// Returns the configuration of the stack.
  public StackConfig config() {
    return config;
  }

  /// Returns the port that transfers the frames of the stack.
  public PacketPort port() {
    return port;
  }

  /// Returns the counters of the stack.
  public StackCounters counters() {
    return counters;
  }

  /// Binds a UDP port.
  ///
  /// @param port the port, or 0 for any free port
  /// @param whenClosed a callback that is invoked with the port number when the socket is closed
  /// @throws IOException if the port is in use or too many sockets are open
  public UdpSocket bind(int port, IntConsumer whenClosed) throws IOException {
    return udp.bind(port, whenClosed);
  }

  /// Sends an ICMP echo request. The reply is passed to the listener that was set by [#listen].
  ///
  /// @return false if the request was dropped
  public boolean echo(int destination, int idAndNumber, byte[] data) {
    return !closed && icmp.echo(destination, idAndNumber, data);
  }

  /// Sets the listener for replies to echo requests.
  public void listen(EchoListener to) {
    icmp.listen(to);
  }

  /// Processes received frames, up to a limited number of batches, and submits the staged frames.
  ///
  /// @return the number of received frames; if it is large, more frames may be available
  public int poll() {
    if (closed) {
      return 0;
    }
    polling = true;
    try {
      return pollBatches();
    } finally {
      polling = false;
      if (closed) {
        release();
      }
    }
  }

  private int pollBatches() {
    int handled = 0;
    for (int i = 0; i < BATCHES && !closed; i++) {
      batch.clear();
      int came = port.receive(batch);
      handleBatch(came);
      handled += came;
      if (came < BATCH) {
        break;
      }
    }
    flush();
    return handled;
  }

  /// Processes a batch. All of its frames are returned to the port, even if a receiver throws an
  /// exception or closes the stack.
  private void handleBatch(int came) {
    int next = 0;
    try {
      while (next < came && !closed) {
        long frame = batch.place(next);
        int bytes = batch.length(next++);
        try {
          received(frame, bytes);
        } finally {
          port.release(frame);
        }
      }
    } finally {
      while (next < came) {
        port.release(batch.place(next++));
      }
    }
  }

  private void received(long at, int length) {
    counters.frames++;
    MemorySegment memory = port.memory();
    boolean tagged = EthernetHeader.hasPriority(memory, at, length);
    if (tagged) {
      EthernetHeader.removeTag(memory, at);
    }
    long frame = tagged ? at + EthernetHeader.TAG_BYTES : at;
    int bytes = tagged ? length - EthernetHeader.TAG_BYTES : length;
    if (bytes < EthernetHeader.BYTES) {
      counters.malformed++;
      return;
    }
    long destination = EthernetHeader.destination(memory, frame);
    if (destination != port.macAddress() && destination != EthernetHeader.BROADCAST) {
      counters.notForUs++;
      return;
    }
    int payload = bytes - EthernetHeader.BYTES;
    switch (EthernetHeader.type(memory, frame)) {
      case EthernetHeader.TYPE_IPV4 -> input.received(memory, frame, payload);
      case EthernetHeader.TYPE_ARP ->
          link.arpReceived(memory, frame + EthernetHeader.BYTES, payload);
      default -> counters.notForUs++;
    }
  }

  /// Submits the staged frames to the device.
  public void flush() {
    if (!closed) {
      port.flush();
    }
  }

  /// Executes the periodic work, which includes checking the link, repeating ARP requests, and
  /// discarding expired fragments.
  public void tick() {
    if (!closed) {
      long now = clock.nanos();
      port.look(listener);
      counters.lost = port.lost();
      link.tick(now);
      reassembly.expire(now);
      port.flush();
    }
  }

  /// Returns the number of frames and packets that are held by the stack because they are waiting
  /// for ARP or are being reassembled. This method is used by tests.
  int held() {
    return link.pending() + reassembly.open();
  }

  /// Closes the stack. This method is idempotent. If a receiver calls it during [#poll], the memory
  /// is released at the end of [#poll].
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      udp.closeAll();
      if (!polling) {
        release();
      }
    }
  }

  private void release() {
    reassembly.close();
    icmp.close();
    port.close();
  }
}
