package sluice.net.stack;

import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import sluice.net.Ipv4Prefix;
import sluice.net.StackConfig;
import sluice.net.port.LinkWatch;
import sluice.net.port.PacketPort;
import sluice.net.wire.ArpPacket;
import sluice.net.wire.EthernetHeader;

/// Sends packets to the next station, and finds its hardware address by ARP. Owned by the stack's
/// thread.
///
/// A packet whose station is not known waits in a queue of all, which is bounded, and at most eight
/// for one station. A question is repeated each second; after three without an answer its packets
/// are dropped.
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

  /// Slots of neighbours that are being asked for.
  private final int[] asked;

  private int askedCount;
  private final long[] pendingFrames;
  private final int[] pendingLengths;
  private final int[] pendingHops;
  private int pendingCount;

  /// When [#tick] was called last: a question more or less each second, and a minute for what is
  /// known, need no look at the clock for each packet.
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

  /// The station that takes packets for an address.
  ///
  /// @return 0 when there is none
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

  /// Sends a frame whose packet is written behind room for the Ethernet header.
  ///
  /// @param frame where the frame begins; it is not the caller's any more
  /// @param bytes of header and packet
  /// @param hop of [#nextHop]
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

  /// Asks for a station unless that is under way.
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

  /// Asks whether another station has our address, in the name of none (RFC 5227, 2.1.1).
  private void probe() {
    arp(ArpPacket.REQUEST, EthernetHeader.BROADCAST, 0, 0, own.address());
  }

  /// Tells all stations that the address is here: at a hardware address that may be a new one.
  void announce() {
    if (config.ownsAddress() && !claim.isGivenUp()) {
      arp(ArpPacket.REQUEST, EthernetHeader.BROADCAST, own.address(), 0, own.address());
    }
  }

  /// @param destination station that the frame is for
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

  // ---- what comes ---------------------------------------------------------------------------

  /// An ARP packet has come.
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

  /// Whether a hardware address may be that of one other station. Our own comes back where a switch
  /// or a bridge reflects it; frames to it would come to us, if anywhere.
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

  /// A station has shown its hardware address: what waits for it leaves.
  ///
  /// @param add whether it is remembered if it was not asked for
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

  /// Asks again what has not answered, or gives it up.
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

  /// @param hop 0 for all
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

  /// Whether another station has the address: nothing is sent or taken.
  boolean isGivenUp() {
    return claim.isGivenUp();
  }

  /// Frames that wait.
  int pending() {
    return pendingCount;
  }
}
