package sluice.nfs.rpc;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The identity of a TCP connection, or of an address that sends datagrams, and what programs
/// attach to it. Made by the loop's thread; any thread may use it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | open | loop | volatile | volatile |
/// | attachments | any thread | under the monitor | under the monitor |
final class RpcConnection {
  private static final int MAX_ATTACHMENTS = 64;

  private final long number;
  private final InetAddress client;
  private final long addressHigh;
  private final long addressLow;
  private final int clientPort;
  private final boolean datagram;
  private final Map<Object, Object> attachments = new HashMap<>();
  private volatile boolean open = true;

  /// @param number no other connection of the server has or had it
  RpcConnection(long number, InetAddress client, int clientPort, boolean datagram) {
    this.number = number;
    this.client = client;
    byte[] address = client.getAddress();
    ByteBuffer whole = ByteBuffer.allocate(2 * Long.BYTES);
    if (address.length < whole.capacity()) { // as IPv6 maps it
      whole.putShort(10, (short) -1);
    }
    whole.put(whole.capacity() - address.length, address);
    addressHigh = whole.getLong(0);
    addressLow = whole.getLong(Long.BYTES);
    this.clientPort = clientPort;
    this.datagram = datagram;
  }

  long number() {
    return number;
  }

  InetAddress client() {
    return client;
  }

  /// First half of the client's address as one of IPv6.
  long addressHigh() {
    return addressHigh;
  }

  long addressLow() {
    return addressLow;
  }

  /// 0 for datagrams, which come from any port.
  int clientPort() {
    return clientPort;
  }

  boolean datagram() {
    return datagram;
  }

  /// False once the connection has ended.
  boolean isOpen() {
    return open;
  }

  void ended() {
    open = false;
    synchronized (attachments) {
      attachments.clear();
    }
  }

  @Nullable Object attachment(Object key) {
    synchronized (attachments) {
      return attachments.get(key);
    }
  }

  /// @param value null takes the attachment away
  /// @return false when the connection has ended, or has 64 attachments already
  boolean attach(Object key, @Nullable Object value) {
    synchronized (attachments) {
      if (value == null) {
        attachments.remove(key);
        return true;
      }
      if (!open || (attachments.size() >= MAX_ATTACHMENTS && !attachments.containsKey(key))) {
        return false;
      }
      attachments.put(key, value);
      return true;
    }
  }
}
