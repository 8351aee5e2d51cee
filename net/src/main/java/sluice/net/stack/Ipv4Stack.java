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

/// A network stack over one port: ARP, IPv4, ICMP and UDP. Owned by one thread, which alone may
/// call, and calls [#poll] when frames may have come and [#tick] a few times each second.
///
/// Lifecycle: opened over a port, which is its own from then on → polled → closed with the port.
public final class Ipv4Stack implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger("sluice.net");

  /// Frames of one batch, and batches of one [#poll].
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

  /// What the port notices beside its frames.
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

  /// @param port is closed with the stack
  /// @param clock passes time; that of a simulation, for example
  /// @param seed chooses the numbers of packets and ports; it is secret
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

  public StackConfig config() {
    return config;
  }

  public PacketPort port() {
    return port;
  }

  public StackCounters counters() {
    return counters;
  }

  /// Opens a port of UDP.
  ///
  /// @param port 0 for any free one
  /// @param whenClosed is run with the port's number when the socket is closed
  /// @throws IOException when the port is in use
  public UdpSocket bind(int port, IntConsumer whenClosed) throws IOException {
    return udp.bind(port, whenClosed);
  }

  /// Sends an echo; [#listen] gets its reply.
  ///
  /// @return false when it was dropped
  public boolean echo(int destination, int idAndNumber, byte[] data) {
    return !closed && icmp.echo(destination, idAndNumber, data);
  }

  public void listen(EchoListener to) {
    icmp.listen(to);
  }

  /// Handles the frames that have come, up to a few batches, and sends what that has staged.
  ///
  /// @return frames; when they are many there may be more
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

  /// Each frame goes back to the port, also behind one at which a receiver threw or closed.
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

  /// Sends what is staged.
  public void flush() {
    if (!closed) {
      port.flush();
    }
  }

  /// Does what time brings: looks at the link, repeats questions, drops what is too old.
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

  /// Frames and packets that the stack holds now, for tests: pending ones and reassemblies.
  int held() {
    return link.pending() + reassembly.open();
  }

  /// Idempotent. A receiver may call it too: then memory goes when [#poll] has ended.
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
