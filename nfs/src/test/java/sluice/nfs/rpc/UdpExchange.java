package sluice.nfs.rpc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/// A socket that sends each message until a reply to it comes. Of one thread.
public final class UdpExchange implements UnaryOperator<byte[]>, AutoCloseable {
  private static final int ATTEMPTS = 120;
  private static final int TIMEOUT_MILLIS = 500;

  private final DatagramSocket socket = new DatagramSocket();
  private final int port;
  private final byte[] buffer = new byte[65_536];
  private byte[] last = {};

  /// @param port of this machine
  public UdpExchange(int port) throws IOException {
    this.port = port;
    socket.setSoTimeout(TIMEOUT_MILLIS);
  }

  /// What was sent last. Not to be changed.
  public byte[] last() {
    return last;
  }

  @Override
  public byte[] apply(byte[] message) {
    last = message;
    try {
      for (int i = 0; i < ATTEMPTS; i++) {
        byte[] reply = once(message);
        if (reply.length > 0) {
          return reply;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new AssertionError("no reply");
  }

  /// @return the reply, empty when none came in time
  private byte[] once(byte[] message) throws IOException {
    InetSocketAddress to = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    socket.send(new DatagramPacket(message, message.length, to));
    try {
      while (true) {
        DatagramPacket reply = new DatagramPacket(buffer, buffer.length);
        socket.receive(reply);
        if (ByteBuffer.wrap(buffer).getInt(0) == ByteBuffer.wrap(message).getInt(0)) {
          return Arrays.copyOf(buffer, reply.getLength());
        }
      }
    } catch (SocketTimeoutException late) {
      return new byte[0];
    }
  }

  @Override
  public void close() {
    socket.close();
  }
}
