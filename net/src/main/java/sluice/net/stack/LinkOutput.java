package sluice.net.stack;

import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import sluice.net.Ipv4Prefix;
import sluice.net.StackConfig;
import sluice.net.port.LinkWatch;
import sluice.net.port.PacketPort;
import sluice.net.wire.ArpPacket;
import sluice.net.wire.EthernetHeader;

/// Sends packets to the next hop and resolves its hardware address with ARP. Instances are owned by
/// the stack's thread.
///
/// Packets for a station whose address is not known yet are stored in a bounded queue, with at most
/// eight packets for each station. The request is repeated every second. After three unanswered
/// requests, the waiting packets are dropped.
final class LinkOutput {
  private static final System.Logger LOGGER = System.getLogger("sluice.net");
  private static final int TRIES = 3;
  private static final int PENDING_EACH = 8;

  private final PacketPort port;
  private final Ipv4Prefix own;
  private final StackConfig config;
  private final StackCounters counters;
  private final Neighbours neighbours;
  private final AddressClaim claim;

  /// The slots of the neighbors that are being resolved.
  private final int[] asked;

  private int askedCount;
  private final long[] pendingFrames;
  private final int[] pendingLengths;
  private final int[] pendingHops;
  private int pendingCount;

  /// The time of the last [#tick]. The clock does not have to be read for each packet, because all
  /// timeouts are at least one second.
  private long now;

  LinkOutput(PacketPort port, StackConfig config, StackCounters counters, long now) {
    this.port = port;
    this.config = config;
    this.own = config.address();
    this.counters = counters;
    this.now = now;
    this.neighbours = new Neighbours(config.limits().neighbours());
    this.claim = new AddressClaim(config.ownsAddress(), now);
    int most = config.limits().pendingFrames();
    this.asked = new int[most];
    this.pendingFrames = new long[most];
    this.pendingLengths = new int[most];
    this.pendingHops = new int[most];
  }

  /// Returns the next hop for the given address.
  ///
  /// @return the next hop, or 0 if there is none
  int nextHop(int destination) {
    if (claim.isGivenUp()) {
      return 0;
    }
    if (destination == own.address() || destination == 0 || destination >>> 28 >= 0xe) {
      return destination == -1 ? destination : 0;
    }
    if (!config.ownsAddress()) {
      return neighbours.find(destination) >= 0 || isBroadcast(destination) ? destination : 0;
    }
    return own.contains(destination) ? destination : config.gateway();
  }

  private boolean isBroadcast(int address) {
    return address == -1 || address == own.broadcast();
  }

  /// Sends a frame that contains a packet after free space for the Ethernet header.
  ///
  /// @param frame the position of the frame, whose ownership is transferred to this method
  /// @param bytes the length of the header and the packet
  /// @param hop a result of [#nextHop]
  void send(long frame, int bytes, int hop) {
    if (isBroadcast(hop)) {
      transmit(frame, bytes, EthernetHeader.BROADCAST, EthernetHeader.TYPE_IPV4);
      return;
    }
    int slot = neighbours.find(hop);
    if (slot >= 0 && neighbours.isKnown(slot, now)) {
      transmit(frame, bytes, neighbours.mac(slot), EthernetHeader.TYPE_IPV4);
      if (config.ownsAddress() && neighbours.isDue(slot, now)) {
        ask(slot, neighbours.mac(slot));
      }
    } else if (config.ownsAddress()) {
      pend(frame, bytes, hop);
    } else {
      counters.noRoute++;
      port.release(frame);
    }
  }

  private void transmit(long frame, int bytes, long mac, int type) {
    EthernetHeader.write(port.memory(), frame, mac, port.macAddress(), type);
    counters.packetsSent++;
    port.send(frame, bytes);
  }

  private void pend(long frame, int bytes, int hop) {
    if (pendingCount == pendingFrames.length
        || pendingFor(hop) >= PENDING_EACH
        || !isBeingAsked(hop)) {
      counters.unresolved++;
      port.release(frame);
      return;
    }
    pendingFrames[pendingCount] = frame;
    pendingLengths[pendingCount] = bytes;
    pendingHops[pendingCount++] = hop;
  }

  private int pendingFor(int hop) {
    int count = 0;
    for (int i = 0; i < pendingCount; i++) {
      count += pendingHops[i] == hop ? 1 : 0;
    }
    return count;
  }

  /// Starts resolving the address of a station unless this is already in progress.
  ///
  /// @return false if there is no free slot
  private boolean isBeingAsked(int hop) {
    int found = neighbours.find(hop);
    if (found >= 0 && neighbours.isAsked(found)) {
      return true;
    }
    int slot = askedCount == asked.length ? -1 : neighbours.beginAsking(hop);
    if (slot < 0) {
      return false;
    }
    asked[askedCount++] = slot;
    ask(slot, EthernetHeader.BROADCAST);
    return true;
  }

  private void ask(int slot, long mac) {
    neighbours.noteQuestion(slot, now);
    counters.arpRequests++;
    arp(ArpPacket.REQUEST, mac, own.address(), 0, neighbours.address(slot));
  }

  /// Sends a request for the own address with sender address 0, in order to find another station
  /// that uses it (RFC 5227, section 2.1.1).
  private void probe() {
    arp(ArpPacket.REQUEST, EthernetHeader.BROADCAST, 0, 0, own.address());
  }

  /// Announces the own address and the current hardware address to all stations.
  void announce() {
    if (config.ownsAddress() && !claim.isGivenUp()) {
      arp(ArpPacket.REQUEST, EthernetHeader.BROADCAST, own.address(), 0, own.address());
    }
  }

  /// Sends an ARP packet.
  ///
  /// @param destination the hardware address of the receiving station
  private void arp(int operation, long destination, int sender, long targetMac, int target) {
    long frame = port.claim();
    if (frame < 0) {
      counters.noFrame++;
      return;
    }
    MemorySegment memory = port.memory();
    long packet = frame + EthernetHeader.BYTES;
    ArpPacket.write(memory, packet, operation, port.macAddress(), sender);
    ArpPacket.target(memory, packet, targetMac, target);
    transmit(frame, EthernetHeader.BYTES + ArpPacket.BYTES, destination, EthernetHeader.TYPE_ARP);
  }

  // ---- received packets ---------------------------------------------------------------------

  /// Processes a received ARP packet.
  void arpReceived(MemorySegment memory, long at, int bytes) {
    if (!ArpPacket.isValid(memory, at, bytes)) {
      counters.malformed++;
      return;
    }
    int sender = ArpPacket.senderAddress(memory, at);
    long mac = ArpPacket.senderMac(memory, at);
    if (!isStation(mac) || claim.isGivenUp()) {
      counters.refused++;
      return;
    }
    if (sender == own.address()) {
      if (config.ownsAddress()) {
        conflict(mac);
      }
      return;
    }
    boolean asksUs =
        config.ownsAddress()
            && ArpPacket.operation(memory, at) == ArpPacket.REQUEST
            && ArpPacket.targetAddress(memory, at) == own.address();
    if (own.contains(sender) && sender != own.broadcast()) {
      learn(sender, mac, asksUs);
    }
    if (asksUs) {
      arp(ArpPacket.REPLY, mac, own.address(), mac, sender);
    }
  }

  /// Returns true if a hardware address can belong to another station. Frames with the own address
  /// may be reflected by a switch or a bridge, and frames that are sent to it would be received
  /// again.
  private boolean isStation(long mac) {
    return mac != 0 && !EthernetHeader.isGroup(mac) && mac != port.macAddress();
  }

  private void conflict(long mac) {
    counters.addressConflicts++;
    boolean before = claim.isGivenUp();
    boolean defend = claim.conflict(now);
    String rival = "the station " + LinkWatch.text(mac) + " has " + Ipv4Prefix.text(own.address());
    if (claim.isGivenUp() && !before) {
      counters.addressGivenUp++;
      dropPending(0);
      LOGGER.log(
          Level.WARNING,
          rival
              + " already: it is given up at "
              + port.name()
              + ", which sends and takes nothing. Fix: start again with another address");
    } else if (defend) {
      announce();
      LOGGER.log(
          Level.WARNING,
          rival
              + " too, which is in use at "
              + port.name()
              + ": announced again. Fix: another address for one of the two");
    }
  }

  /// Stores the hardware address of a station and sends the packets that are waiting for it.
  ///
  /// @param add true to store the address even if it was not requested
  void learn(int address, long mac, boolean add) {
    if (!isStation(mac)) {
      counters.refused++;
      return;
    }
    if (neighbours.confirm(address, mac, add, now) < 0) {
      return;
    }
    int kept = 0;
    for (int i = 0; i < pendingCount; i++) {
      if (pendingHops[i] == address) {
        transmit(pendingFrames[i], pendingLengths[i], mac, EthernetHeader.TYPE_IPV4);
      } else {
        keepPending(i, kept++);
      }
    }
    pendingCount = kept;
  }

  private void keepPending(int from, int to) {
    pendingFrames[to] = pendingFrames[from];
    pendingLengths[to] = pendingLengths[from];
    pendingHops[to] = pendingHops[from];
  }

  /// Repeats unanswered requests. After three requests, the station is considered unreachable.
  void tick(long time) {
    now = time;
    switch (claim.due(now)) {
      case PROBE -> probe();
      case ANNOUNCEMENT -> announce();
      case NOTHING -> {}
    }
    int kept = 0;
    for (int i = 0; i < askedCount; i++) {
      int slot = asked[i];
      if (!neighbours.isAsked(slot)) {
        continue;
      }
      if (!neighbours.isOverdue(slot, now)) {
        asked[kept++] = slot;
      } else if (neighbours.tries(slot) < TRIES) {
        ask(slot, EthernetHeader.BROADCAST);
        asked[kept++] = slot;
      } else {
        neighbours.giveUp(slot);
        dropPending(neighbours.address(slot));
      }
    }
    askedCount = kept;
  }

  /// Drops waiting packets.
  ///
  /// @param hop the next hop of the packets, or 0 for all packets
  private void dropPending(int hop) {
    int kept = 0;
    for (int i = 0; i < pendingCount; i++) {
      if (pendingHops[i] == hop || hop == 0) {
        counters.unresolved++;
        port.release(pendingFrames[i]);
      } else {
        keepPending(i, kept++);
      }
    }
    pendingCount = kept;
  }

  /// Returns true if the address was abandoned because it is used by another station. In this case,
  /// no packets are sent or received.
  boolean isGivenUp() {
    return claim.isGivenUp();
  }

  /// Returns the number of frames that are waiting for ARP.
  int pending() {
    return pendingCount;
  }
}
