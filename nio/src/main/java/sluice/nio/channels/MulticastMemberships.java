package sluice.nio.channels;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.nio.channels.MembershipKey;
import java.nio.channels.MulticastChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.nio.descriptors.ProtocolFamilies;
import sluice.sys.GroupRequest;
import sluice.sys.Sockets;
import sluice.sys.sockets.SocketErrors;

/// The multicast groups of one datagram channel. Any thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `keys`, `Key.valid` | any thread | under this object's lock; `valid` volatile | the same |
final class MulticastMemberships {
  private final SluiceDatagramChannel channel;
  private final int fd;
  private final StandardProtocolFamily family;
  private final List<Key> keys = new ArrayList<>();

  MulticastMemberships(SluiceDatagramChannel channel, int fd, StandardProtocolFamily family) {
    this.channel = channel;
    this.fd = fd;
    this.family = family;
  }

  /// Checks that a group and its source can be joined.
  ///
  /// @throws IllegalArgumentException if the group or the source is not valid
  void check(InetAddress group, @Nullable InetAddress source) {
    if (!group.isMulticastAddress()) {
      throw new IllegalArgumentException("Group not a multicast address");
    }
    if (ProtocolFamilies.isIpv6(group) && family != StandardProtocolFamily.INET6) {
      throw new IllegalArgumentException("Only IPv6 sockets can join IPv6 multicast group");
    }
    if (source != null) {
      checkSource(group, source);
    }
  }

  private static void checkSource(InetAddress group, InetAddress source) {
    if (source.isAnyLocalAddress()) {
      throw new IllegalArgumentException("Source address is a wildcard address");
    }
    if (source.isMulticastAddress()) {
      throw new IllegalArgumentException("Source address is multicast address");
    }
    if (ProtocolFamilies.isIpv6(source) != ProtocolFamilies.isIpv6(group)) {
      throw new IllegalArgumentException("Source address is different type to group");
    }
  }

  /// Joins a group and returns the membership. If the group was already joined, the existing
  /// membership is returned. The channel must be open.
  synchronized MembershipKey join(
      InetAddress group, NetworkInterface network, @Nullable InetAddress source)
      throws IOException {
    Key known = find(group, network, source);
    if (known != null) {
      return known;
    }
    if (network.getIndex() != 0 // then the kernel chooses
        && !ProtocolFamilies.isIpv6(group)
        && network.inetAddresses().noneMatch(Inet4Address.class::isInstance)) {
      throw new IOException("Network interface not configured for IPv4");
    }
    Key key = new Key(group, network, source);
    SocketErrors.check(
        key.request(
            source == null ? GroupRequest.MCAST_JOIN_GROUP : GroupRequest.MCAST_JOIN_SOURCE_GROUP,
            source));
    keys.add(key);
    return key;
  }

  /// Returns the membership of a group, or null if there is none.
  ///
  /// @throws IllegalStateException if the group was joined for all sources but the call names one,
  ///   or vice versa
  synchronized @Nullable Key find(
      InetAddress group, NetworkInterface network, @Nullable InetAddress source) {
    for (Key key : keys) {
      if (key.group.equals(group) && key.network.equals(network)) {
        if ((source == null) != (key.source == null)) {
          throw new IllegalStateException(
              source == null
                  ? "Already a member to receive only from a source"
                  : "Already a member to receive all packets");
        }
        if (source == null || source.equals(key.source)) {
          return key;
        }
      }
    }
    return null;
  }

  synchronized void invalidateAll() {
    for (Key key : keys) {
      key.valid = false;
    }
    keys.clear();
  }

  /// A membership of a group.
  final class Key extends MembershipKey {
    private final InetAddress group;
    private final NetworkInterface network;
    private final @Nullable InetAddress source;
    private volatile boolean valid = true;

    private Key(InetAddress group, NetworkInterface network, @Nullable InetAddress source) {
      this.group = group;
      this.network = network;
      this.source = source;
    }

    private int request(int option, @Nullable InetAddress about) {
      int level = ProtocolFamilies.isIpv6(group) ? Sockets.IPPROTO_IPV6 : Sockets.IPPROTO_IP;
      return GroupRequest.set(fd, level, option, network.getIndex(), group, about);
    }

    @Override
    public boolean isValid() {
      return valid;
    }

    @Override
    public void drop() {
      synchronized (MulticastMemberships.this) {
        if (valid) {
          valid = false;
          keys.remove(this);
          int _ =
              request(
                  source == null
                      ? GroupRequest.MCAST_LEAVE_GROUP
                      : GroupRequest.MCAST_LEAVE_SOURCE_GROUP,
                  source);
        }
      }
    }

    @Override
    public MembershipKey block(InetAddress toBlock) throws IOException {
      if (source != null) {
        throw new IllegalStateException("key is source-specific");
      }
      synchronized (MulticastMemberships.this) {
        if (!valid) {
          throw new IllegalStateException("key is no longer valid");
        }
        checkSource(group, toBlock);
        int result = request(GroupRequest.MCAST_BLOCK_SOURCE, toBlock);
        if (result != -sluice.sys.Errno.EADDRNOTAVAIL) { // blocked already
          SocketErrors.check(result);
        }
      }
      return this;
    }

    @Override
    public MembershipKey unblock(InetAddress toUnblock) {
      synchronized (MulticastMemberships.this) {
        if (!valid) {
          throw new IllegalStateException("key is no longer valid");
        }
        if (source != null || request(GroupRequest.MCAST_UNBLOCK_SOURCE, toUnblock) < 0) {
          throw new IllegalStateException("not blocked");
        }
      }
      return this;
    }

    @Override
    public MulticastChannel channel() {
      return channel;
    }

    @Override
    public InetAddress group() {
      return group;
    }

    @Override
    public NetworkInterface networkInterface() {
      return network;
    }

    @Override
    public @Nullable InetAddress sourceAddress() {
      return source;
    }

    @Override
    public String toString() {
      return "<" + group + "," + network.getName() + (source == null ? "" : "," + source) + ">";
    }
  }
}
