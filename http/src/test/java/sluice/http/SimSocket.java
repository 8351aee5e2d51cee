package sluice.http;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import sluice.testkit.sim.SimClient;

/// A socket of blocking clients that is one of the simulated kernel: a read lets the simulation go
/// on until something comes. Used by the thread that runs the simulation.
final class SimSocket extends Socket {
  /// Runs the simulation until a condition holds.
  interface Turner {
    void turnUntil(BooleanSupplier done);
  }

  private final SimClient client;
  private final Turner turner;
  private boolean inputEnded;

  SimSocket(SimClient client, Turner turner) {
    this.client = client;
    this.turner = turner;
  }

  @Override
  public InputStream getInputStream() {
    return new InputStream() {
      @Override
      public int read() throws SocketException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] into, int offset, int length) throws SocketException {
        if (inputEnded) {
          return -1; // whatever has come since
        }
        turner.turnUntil(() -> client.receivedBytes() > 0 || client.inputEnded());
        int count = client.take(into, offset, length);
        if (count == 0 && client.errno() < 0) {
          throw new SocketException("errno " + -client.errno());
        }
        inputEnded = count == 0;
        return inputEnded ? -1 : count;
      }
    };
  }

  @Override
  public OutputStream getOutputStream() {
    return new OutputStream() {
      @Override
      public void write(int b) throws SocketException {
        write(new byte[] {(byte) b}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws SocketException {
        if (client.over()) {
          throw new SocketException("the connection has ended");
        }
        client.send(Arrays.copyOfRange(bytes, offset, offset + length));
      }
    };
  }

  @Override
  public void shutdownOutput() {
    client.finish();
  }

  @Override
  public void setSoLinger(boolean on, int seconds) {
    client.reset();
  }

  @Override
  public void close() {
    if (!client.over()) {
      client.close();
    }
  }
}
