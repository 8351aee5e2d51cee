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

/// A network stack over one port: ARP, IPv4, ICMP and UDP. Owned by one thread, which makes all
/// calls: [#poll] when frames may have arrived, and [#tick] a few times per second.
///
/// Lifecycle: opened over a port, which the stack then owns → polled → closed together with the
/// port.
public final class Ipv4Stack implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger("sluice.net");

  /// The number of frames per batch, and of batches per [#poll].
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

  /// Handles the events of the link.
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
  /// @param port the port, which is closed with the stack
  /// @param clock the source of time, for example of a simulation
  /// @param seed the secret seed for packet IDs and dynamic ports
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

  /// Returns the port that carries the frames of the stack.
  public PacketPort port() {
    return port;
  }

  /// Returns the counters of the stack.
  public StackCounters counters() {
    return counters;
  }

  /// Binds a UDP port.
  ///
  /// @param port the port; 0 for any free one
  /// @param whenClosed runs with the port number when the socket is closed
  /// @throws IOException if the port is in use or too many sockets are open
  public UdpSocket bind(int port, IntConsumer whenClosed) throws IOException {
    return udp.bind(port, whenClosed);
  }

  /// Sends an ICMP echo request. The listener set by [#listen] gets the reply.
  ///
  /// @return false if it was dropped
  public boolean echo(int destination, int idAndNumber, byte[] data) {
    return !closed && icmp.echo(destination, idAndNumber, data);
  }

  /// Sets the listener for replies to echo requests.
  public void listen(EchoListener to) {
    icmp.listen(to);
  }

  /// Handles received frames, up to a few batches, and sends the staged ones.
  ///
  /// @return the number of received frames; if it is large there may be more
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

  /// Handles a batch. All its frames are returned to the port, even if a receiver throws or closes
  /// the stack.
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

  /// Sends the staged frames.
  public void flush() {
    if (!closed) {
      port.flush();
    }
  }

  /// Runs the periodic work: checks the link, repeats ARP requests, and drops expired fragments.
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

  /// Returns the number of frames and packets that the stack holds: frames that wait for ARP, and
  /// reassemblies. For tests.
  int held() {
    return link.pending() + reassembly.open();
  }

  /// Closes the stack. Idempotent. A receiver may call it during [#poll]; then the memory is
  /// released when [#poll] ends.
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
