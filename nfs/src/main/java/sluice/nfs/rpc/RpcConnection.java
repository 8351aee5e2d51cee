package sluice.nfs.rpc;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The identity of a TCP connection or of an address that sends datagrams, together with the
/// objects that programs have attached to it. Instances are created by the loop's thread and are
/// thread-safe.
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

  /// Creates an identity.
  ///
  /// @param number a number that is unique during the lifetime of the server
  RpcConnection(long number, InetAddress client, int clientPort, boolean datagram) {
    this.number = number;
    this.client = client;
    byte[] address = client.getAddress();
    ByteBuffer whole = ByteBuffer.allocate(2 * Long.BYTES);
    if (address.length < whole.capacity()) { // an IPv4-mapped IPv6 address
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

  /// Returns the first half of the client's address in IPv6 form.
  long addressHigh() {
    return addressHigh;
  }

  long addressLow() {
    return addressLow;
  }

  /// Returns the client's port, or 0 for datagrams because their port may vary.
  int clientPort() {
    return clientPort;
  }

  boolean datagram() {
    return datagram;
  }

  /// Returns true until the connection is closed.
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

  /// Attaches an object.
  ///
  /// @param value the object, or null to remove the attachment
  /// @return false if the connection has been closed or already has 64 attachments
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
