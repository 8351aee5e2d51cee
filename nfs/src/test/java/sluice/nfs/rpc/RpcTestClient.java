package sluice.nfs.rpc;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/// A blocking TCP client that sends arbitrary data and checks nothing. Confined to one thread,
/// except that another thread may read.
public final class RpcTestClient implements AutoCloseable {
  static final int TIMEOUT_MILLIS = 60_000;

  public final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;

  public RpcTestClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
    in = new DataInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  /// Returns one call without its record mark.
  static byte[] message(int xid, int program, int procedure, Consumer<XdrWriter> arguments) {
    XdrWriter to = new XdrWriter(4 << 20);
    to.int32(xid).int32(0).int32(2).int32(program).int32(1).int32(procedure);
    RpcTestCalls.credentials(to, 1, 2, "client", 3);
    arguments.accept(to);
    byte[] bytes = to.toBytes();
    to.clear();
    return bytes;
  }

  /// Returns a message as one fragment.
  public static byte[] record(byte[] message) {
    return ByteBuffer.allocate(message.length + 4)
        .putInt(0x8000_0000 | message.length)
        .put(message)
        .array();
  }

  /// Returns a message as fragments of at most `most` bytes.
  static byte[] fragments(byte[] message, int most) {
    int count = Math.max(1, (message.length + most - 1) / most);
    ByteBuffer to = ByteBuffer.allocate(message.length + 4 * count);
    for (int i = 0; i < count; i++) {
      int from = i * most;
      int bytes = Math.min(most, message.length - from);
      to.putInt(i == count - 1 ? 0x8000_0000 | bytes : bytes).put(message, from, bytes);
    }
    return to.array();
  }

  public void send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  void call(int xid, int program, int procedure, Consumer<XdrWriter> arguments) throws IOException {
    send(record(message(xid, program, procedure, arguments)));
  }

  /// Reads the next reply without its marks.
  public byte[] receive() throws IOException {
    ByteArrayOutputStream reply = new ByteArrayOutputStream();
    int mark;
    do {
      mark = in.readInt();
      byte[] fragment = in.readNBytes(mark & 0x7fff_ffff);
      if (fragment.length != (mark & 0x7fff_ffff)) {
        throw new EOFException();
      }
      reply.writeBytes(fragment);
    } while (mark >= 0);
    return reply.toByteArray();
  }

  /// Reads the next reply and returns a reader of its results.
  XdrReader results() throws IOException {
    byte[] reply = receive();
    return RpcTestCalls.reader(reply, RpcTestCalls.RESULTS_AT);
  }

  /// Returns true if the server closes the connection; skips remaining data.
  boolean ended() throws IOException {
    try {
      while (in.read() >= 0) {
        // Data sent before the end.
      }
      return true;
    } catch (java.net.SocketException reset) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
