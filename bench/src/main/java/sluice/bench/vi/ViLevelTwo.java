package sluice.bench.vi;

import java.util.ArrayList;
import java.util.List;
import sluice.vi.Vi;
import sluice.vi.ViBuffer;
import sluice.vi.ViBufferAttributes;
import sluice.vi.ViBufferTicket;
import sluice.vi.ViBytes;
import sluice.vi.ViException;
import sluice.vi.ViTicket;

/// An end that posts registered buffers. Owned by the worker's main thread.
final class ViLevelTwo implements ViEnd {
  private final Vi vi;
  private final boolean pins;
  private final List<ViBuffer> buffers = new ArrayList<>();
  private final ViBufferTicket[] out = new ViBufferTicket[WINDOW];
  private final ViBufferTicket[] in = new ViBufferTicket[WINDOW];
  private final ViBytes[] outBytes = new ViBytes[WINDOW];
  private final ViBytes[] inBytes = new ViBytes[WINDOW];
  private int sending;
  private int nextOut;
  private int nextIn;

  /// @param pins true to register a buffer for each send
  ViLevelTwo(Vi vi, boolean pins) throws ViException {
    this.vi = vi;
    this.pins = pins;
    for (int i = 0; i < WINDOW; i++) {
      out[i] = register();
      outBytes[i] = out[i].buffer().bytes();
      in[i] = register();
      inBytes[i] = in[i].buffer().bytes();
      if (pins) {
        out[i].buffer().unregister(out[i]);
      }
      vi.recvBufPost(in[i], 0);
    }
  }

  private ViBufferTicket register() throws ViException {
    ViBuffer buffer = new ViBuffer(ViCase.MOST_BYTES);
    buffers.add(buffer);
    return buffer.register(vi, ViBufferAttributes.READ_WRITE);
  }

  @Override
  public void send(int bytes, byte mark) throws ViException {
    if (pins) {
      pinAndSend(bytes, mark);
      return;
    }
    if (sending == WINDOW) {
      ViTicket _ = vi.sendBufWait(Vi.INFINITE);
      sending--;
    }
    int slot = nextOut;
    nextOut = (slot + 1) & (WINDOW - 1);
    outBytes[slot].set(0, mark);
    vi.sendBufPost(out[slot], 0, bytes);
    sending++;
  }

  private void pinAndSend(int bytes, byte mark) throws ViException {
    ViBuffer buffer = out[0].buffer();
    outBytes[0].set(0, mark);
    ViBufferTicket ticket = buffer.register(vi, ViBufferAttributes.READ_ONLY);
    vi.sendBufPost(ticket, 0, bytes);
    ViTicket _ = vi.sendBufWait(Vi.INFINITE);
    buffer.unregister(ticket);
  }

  @Override
  public byte receive() throws ViException {
    ViTicket _ = vi.recvBufWait(Vi.INFINITE);
    return inBytes[nextIn].get(0);
  }

  @Override
  public void done() throws ViException {
    vi.recvBufPost(in[nextIn], 0);
    nextIn = (nextIn + 1) & (WINDOW - 1);
  }

  @Override
  public void close() {
    vi.close();
    buffers.forEach(ViBuffer::close);
  }
}
