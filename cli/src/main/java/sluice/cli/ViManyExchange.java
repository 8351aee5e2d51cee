package sluice.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import sluice.vi.Vi;
import sluice.vi.ViBuffer;
import sluice.vi.ViBufferAttributes;
import sluice.vi.ViBufferTicket;
import sluice.vi.ViCompletionQ;
import sluice.vi.ViException;
import sluice.vi.ViTicket;

/// Exchanges the messages of `sluice vi --wait many` over several VIs in turn. A single thread
/// waits for one completion queue. Instances are confined to that thread.
final class ViManyExchange implements ViWork {
  /// The number of VIs between the two peers.
  static final int VIS = 8;

  private static final int TIMEOUT_MICROS = (int) TimeUnit.SECONDS.toMicros(60);
  private static final int WINDOW = 4;

  private final ViCompletionQ completions;
  private final List<Vi> vis;
  private final ViTiming timing;
  private final int size;
  private final List<ViBuffer> buffers = new ArrayList<>();

  /// The send buffer for the reply to a message, keyed by the receive buffer of the message.
  private final Map<ViTicket, ViBufferTicket> answers = new HashMap<>();

  /// The VI that each send buffer belongs to.
  private final Map<ViBufferTicket, Vi> homes = new HashMap<>();

  private final LinkedHashSet<ViBufferTicket> idle = new LinkedHashSet<>();
  private final List<ViBufferTicket> first = new ArrayList<>();

  /// Creates an exchange.
  ///
  /// @param completions the completion queue for all sends and receives
  ViManyExchange(ViCompletionQ completions, List<Vi> vis, ViTiming timing) throws ViException {
    this.completions = completions;
    this.vis = vis;
    this.timing = timing;
    size = timing.size();
    for (int i = 0; i < WINDOW; i++) {
      for (Vi vi : vis) {
        ViBufferTicket out = register(vi, ViBufferAttributes.READ_ONLY);
        ViBufferTicket in = register(vi, ViBufferAttributes.READ_WRITE);
        answers.put(in, out);
        homes.put(out, vi);
        boolean _ = idle.add(out);
        if (i == 0) {
          first.add(out);
        }
        vi.recvBufPost(in, 0);
      }
    }
  }

  private ViBufferTicket register(Vi vi, ViBufferAttributes attributes) throws ViException {
    ViBuffer buffer = new ViBuffer(size);
    buffers.add(buffer);
    return buffer.register(vi, attributes);
  }

  private ViBufferTicket next() throws IOException {
    ViTicket done = completions.await(TIMEOUT_MICROS);
    if (done.failure() != null) {
      throw new IOException("a VI has failed: " + done.failure());
    }
    return (ViBufferTicket) done;
  }

  private static Vi of(ViTicket ticket) {
    Vi vi = Vi.of(ticket);
    if (vi == null) {
      throw new IllegalStateException("a ticket completed that was not posted");
    }
    return vi;
  }

  /// Waits for a message and posts its buffer again. Send buffers whose operation completes in the
  /// meantime become idle.
  ///
  /// @return the buffer that contains the message
  private ViBufferTicket receive(int length) throws IOException {
    ViBufferTicket done = next();
    while (done.isSend()) {
      boolean _ = idle.add(done);
      done = next();
    }
    ViTiming.expect(done.length(), length);
    of(done).recvBufPost(done, 0);
    return done;
  }

  private void send(Vi vi, ViBufferTicket out, int length) throws IOException {
    while (out.isPosted()) {
      awaitSend();
    }
    vi.sendBufPost(out, 0, length);
  }

  private void awaitSend() throws IOException {
    ViBufferTicket done = next();
    if (!done.isSend()) {
      throw new IOException("a message came out of turn. Fix: the same command on both ends");
    }
    boolean _ = idle.add(done);
  }

  /// Waits until the asking peer has closed its connections. The asking peer must close first,
  /// because the end of one connection can overtake the last message on another connection.
  private void awaitEnd() throws IOException {
    ViTicket done = completions.await(TIMEOUT_MICROS);
    while (done.failure() == null) {
      done = completions.await(TIMEOUT_MICROS);
    }
  }

  // ---- round trips ---------------------------------------------------------------------------

  @Override
  public Map<String, Object> askRoundTrips() throws IOException {
    return timing.roundTrips(this::roundTrip);
  }

  private void roundTrip(int number) throws IOException {
    int turn = Math.floorMod(number, vis.size());
    send(vis.get(turn), first.get(turn), size);
    ViBufferTicket _ = receive(size);
  }

  @Override
  public void answerRoundTrips() throws IOException {
    for (int i = 0; i < timing.total(); i++) {
      ViBufferTicket in = receive(size);
      send(of(in), Objects.requireNonNull(answers.get(in)), size);
    }
    awaitEnd();
  }

  // ---- streams -------------------------------------------------------------------------------

  @Override
  public Map<String, Object> askStream() throws IOException {
    return timing.stream(this::stream);
  }

  private void stream(int messages) throws IOException {
    for (int i = 0; i < messages; i++) {
      while (idle.isEmpty()) {
        awaitSend();
      }
      ViBufferTicket out = idle.removeFirst();
      Objects.requireNonNull(homes.get(out)).sendBufPost(out, 0, size);
    }
    ViBufferTicket _ = receive(1);
  }

  @Override
  public void answerStream() throws IOException {
    for (int part : new int[] {timing.warmUp(), timing.count()}) {
      for (int i = 0; i < part; i++) {
        ViBufferTicket _ = receive(size);
      }
      send(vis.getFirst(), first.getFirst(), 1);
    }
    awaitEnd();
  }

  @Override
  public void close() {
    vis.forEach(Vi::close); // releases the buffers
    buffers.forEach(ViBuffer::close);
  }
}
