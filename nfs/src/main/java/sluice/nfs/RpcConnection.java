package sluice.nfs;

import java.net.InetAddress;
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
  private final int clientPort;
  private final boolean datagram;
  private final Map<Object, Object> attachments = new HashMap<>();
  private volatile boolean open = true;

  /// @param number no other connection of the server has or had it
  RpcConnection(long number, InetAddress client, int clientPort, boolean datagram) {
    this.number = number;
    this.client = client;
    this.clientPort = clientPort;
    this.datagram = datagram;
  }

  long number() {
    return number;
  }

  InetAddress client() {
    return client;
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
