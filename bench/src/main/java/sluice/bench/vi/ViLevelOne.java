package sluice.bench.vi;

import sluice.vi.Vi;
import sluice.vi.ViBATicket;
import sluice.vi.ViException;

/// An end that sends and receives byte arrays, by the asynchronous receive of the paper. Owned by
/// the worker's main thread.
final class ViLevelOne implements ViEnd {
  private final Vi vi;
  private final byte[] out = new byte[ViCase.MOST_BYTES];
  private ViBATicket current = new ViBATicket(new byte[0], 0);

  ViLevelOne(Vi vi) throws ViException {
    this.vi = vi;
    for (int i = 0; i < WINDOW; i++) {
      vi.recvPost(new ViBATicket(new byte[ViCase.MOST_BYTES], 0));
    }
  }

  @Override
  public void send(int bytes, byte mark) throws ViException {
    out[0] = mark;
    vi.send(out, 0, bytes);
  }

  @Override
  public byte receive() throws ViException {
    current = vi.recvWait(Vi.INFINITE);
    return current.byteArray()[0];
  }

  @Override
  public void done() throws ViException {
    vi.recvPost(current);
  }

  @Override
  public void close() {
    vi.close();
  }
}
