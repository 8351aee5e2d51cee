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

/// A socket that retransmits each message until a reply arrives. Not thread-safe.
public final class UdpExchange implements UnaryOperator<byte[]>, AutoCloseable {
  private static final int ATTEMPTS = 120;
  private static final int TIMEOUT_MILLIS = 500;

  private final DatagramSocket socket = new DatagramSocket();
  private final int port;
  private final byte[] buffer = new byte[65_536];
  private byte[] last = {};

  /// Creates a socket.
  ///
  /// @param port the port of the server on this machine
  public UdpExchange(int port) throws IOException {
    this.port = port;
    socket.setSoTimeout(TIMEOUT_MILLIS);
  }

  /// Returns the last sent message. The caller must not change it.
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

  /// Sends a message once.
  ///
  /// @return the reply; empty if none arrived in time
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
