package sluice.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import sluice.vi.Vi;
import sluice.vi.ViBATicket;
import sluice.vi.ViBuffer;
import sluice.vi.ViBufferAttributes;
import sluice.vi.ViBufferTicket;
import sluice.vi.ViException;
import sluice.vi.ViTicket;

/// Exchanges the messages of `sluice vi` over one VI in a single thread, either as round trips or
/// as a stream with one short reply.
final class ViExchange implements ViWork {
  /// The time without a message after which the peer is considered terminated.
  private static final int TIMEOUT_MICROS = (int) TimeUnit.SECONDS.toMicros(60);

  private static final int WINDOW = 16;

  private final Vi vi;
  private final ViTiming timing;
  private final int size;
  private final boolean copies;
  private final byte[] array;
  private final List<ViBuffer> buffers = new ArrayList<>();
  private final ViBufferTicket[] out = new ViBufferTicket[WINDOW];
  private final ViBufferTicket[] in = new ViBufferTicket[WINDOW];

  /// Creates an exchange.
  ///
  /// @param copies true to use Level I
  ViExchange(Vi vi, ViTiming timing, boolean copies) throws ViException {
    this.vi = vi;
    this.timing = timing;
    size = timing.size();
    this.copies = copies;
    array = new byte[size];
    for (int i = 0; i < WINDOW && !copies; i++) {
      out[i] = register(ViBufferAttributes.READ_ONLY);
      in[i] = register(ViBufferAttributes.READ_WRITE);
    }
  }

  private ViBufferTicket register(ViBufferAttributes attributes) throws ViException {
    ViBuffer buffer = new ViBuffer(size);
    buffers.add(buffer);
    return buffer.register(vi, attributes);
  }

  // ---- round trips ---------------------------------------------------------------------------

  @Override
  public Map<String, Object> askRoundTrips() throws IOException {
    return timing.roundTrips(_ -> {
      postRoom(); // not after the last message, because the peer may have closed
      send();
      receive();
    });
  }

  @Override
  public void answerRoundTrips() throws IOException {
    postRoom();
    for (int i = 0; i < timing.total(); i++) {
      receive();
      postRoom();
      send();
    }
  }

  private void postRoom() throws IOException {
    if (!copies) {
      vi.recvBufPost(in[0], 0);
    }
  }

  private void send() throws IOException {
    if (copies) {
      vi.send(array, 0, size, TIMEOUT_MICROS);
    } else {
      vi.sendBufPost(out[0], 0, size);
      ViTicket _ = vi.sendBufWait(TIMEOUT_MICROS);
    }
  }

  private void receive() throws IOException {
    timing.expect(
        copies ? vi.recv(TIMEOUT_MICROS).length : vi.recvBufWait(TIMEOUT_MICROS).length());
  }

  // ---- streams -------------------------------------------------------------------------------

  @Override
  public Map<String, Object> askStream() throws IOException {
    return timing.stream(this::stream);
  }

  /// Sends messages and waits for a single reply to all of them.
  private void stream(int messages) throws IOException {
    ViBATicket answer = new ViBATicket(new byte[1], 0);
    vi.recvPost(answer);
    for (int i = 0; i < messages; i++) {
      if (copies) {
        vi.send(array, 0, size, TIMEOUT_MICROS);
      } else {
        if (i >= WINDOW) {
          ViTicket _ = vi.sendBufWait(TIMEOUT_MICROS);
        }
        vi.sendBufPost(out[i % WINDOW], 0, size);
      }
    }
    for (int i = 0; i < Math.min(messages, WINDOW) && !copies; i++) {
      ViTicket _ = vi.sendBufWait(TIMEOUT_MICROS);
    }
    ViBATicket _ = vi.recvWait(TIMEOUT_MICROS);
  }

  @Override
  public void answerStream() throws IOException {
    ViBATicket[] rooms = new ViBATicket[WINDOW];
    for (int i = 0; i < WINDOW; i++) {
      if (copies) {
        rooms[i] = new ViBATicket(new byte[size], 0);
        vi.recvPost(rooms[i]);
      } else {
        vi.recvBufPost(in[i], 0);
      }
    }
    take(timing.warmUp());
    take(timing.count());
  }

  private void take(int messages) throws IOException {
    for (int i = 0; i < messages; i++) {
      if (copies) {
        ViBATicket got = vi.recvWait(TIMEOUT_MICROS);
        timing.expect(got.length());
        vi.recvPost(got);
      } else {
        ViBufferTicket got = (ViBufferTicket) vi.recvBufWait(TIMEOUT_MICROS);
        timing.expect(got.length());
        vi.recvBufPost(got, 0);
      }
    }
    vi.send(array, 0, 1, TIMEOUT_MICROS);
  }

  @Override
  public void close() {
    vi.close(); // releases the buffers
    buffers.forEach(ViBuffer::close);
  }
}
