package sluice.vi.xdp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.loop.Loop;
import sluice.loop.datagrams.DatagramPeer;
import sluice.loop.datagrams.DatagramPorts;
import sluice.loop.datagrams.Datagrams;
import sluice.memory.Account;
import sluice.memory.View;
import sluice.memory.block.Block;
import sluice.vi.device.DeviceException;
import sluice.vi.device.Failure;
import sluice.vi.device.PortSpec;

/// A port of UDP with its connections, told apart by numbers, and its listeners, by tags. Of the
/// device's thread, except for what [Line] says.
///
/// A number of a connection is random but for its last 16 bits, which say where the connection
/// stands in a table; a datagram must have come from the peer's address, with the numbers of both
/// ends.
///
/// Limits: [#MOST_MEMBERS] connections; of clients that wait to be accepted, 64 for each tag; a
/// client that does not repeat itself for 3 s is forgotten; [#MOST_GONE] answers to datagrams of
/// unknown connections between two ticks.
final class SharedPort implements Line {
  private static final int MOST_MEMBERS = 1 << 14;
  private static final int SLOT_MASK = 0xffff;
  private static final int MOST_GONE = 64;
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Loop loop;
  private final XdpDevice device;
  private final Datagrams port;
  private final Block out;
  private final Block in;
  private final List<@Nullable Member> members = new ArrayList<>();
  private final List<DatagramPeer> peers = new ArrayList<>();
  private final Map<Integer, XdpListener> tags = new HashMap<>();
  private final Map<Long, Arrival> arrivals = new HashMap<>();
  private final Cookies cookies = new Cookies();
  private int open;
  private int goneLeft = MOST_GONE;

  /// @param wanted port 0 asks for any free one
  SharedPort(Loop loop, XdpDevice device, DatagramPorts ports, InetSocketAddress wanted)
      throws IOException {
    this.loop = loop;
    this.device = device;
    out = block();
    in = block();
    try {
      port = ports.open(loop, wanted, this::received);
    } catch (IOException | RuntimeException e) {
      out.release();
      in.release();
      throw e;
    }
  }

  private static Block block() {
    Account account = new Account("datagrams of VIs", Long.MAX_VALUE / 2);
    Block made = Block.allocate(account, Datagram.MOST_BYTES);
    if (made == null) {
      throw new IllegalStateException("no room for a datagram: " + account);
    }
    return made;
  }

  // ---- listeners and members -----------------------------------------------------------------

  /// @return false when the tag has a listener
  boolean add(int tag, XdpListener listener) {
    return tags.putIfAbsent(tag, listener) == null;
  }

  void remove(int tag) {
    tags.remove(tag);
  }

  boolean isUnused() {
    return tags.isEmpty() && open == 0;
  }

  /// Returns whether it is the stack's own address.
  boolean isOwn(InetSocketAddress address) {
    return port.address().getAddress().equals(address.getAddress());
  }

  /// Reserves a number for a connection to a peer; [#join] must follow.
  ///
  /// @throws IOException when there are as many as may be
  long reserve(DatagramPeer peer) throws IOException {
    int slot = members.indexOf(null);
    if (slot < 0) {
      slot = members.size();
      if (slot == MOST_MEMBERS) {
        throw new IOException(
            "this port of UDP has "
                + MOST_MEMBERS
                + " connections. Fix: close some, or another port");
      }
      members.add(null);
      peers.add(peer);
    }
    peers.set(slot, peer);
    return (RANDOM.nextLong() & ~SLOT_MASK) | slot;
  }

  /// Datagrams with the member's number go to it from now on. It takes the place of one with the
  /// same number.
  void join(Member member) {
    if (members.set(slot(member.id()), member) == null) {
      open++;
    }
  }

  void leave(Member member) {
    int slot = slot(member.id());
    Member there = members.get(slot);
    if (there != null && there.id() == member.id()) {
      members.set(slot, null);
      open--;
      device.closeIfUnused(this);
    }
  }

  private static int slot(long id) {
    return (int) id & SLOT_MASK;
  }

  // ---- what comes ----------------------------------------------------------------------------

  private void received(Datagrams at, View datagram, DatagramPeer from) {
    int length = datagram.length();
    if (length > Datagram.MOST_BYTES) {
      return;
    }
    MemorySegment copy = in.segment(); // a frame may be changed while it is looked at
    datagram.copyTo(0, copy, 0, length);
    int kind = Datagram.kind(copy, length);
    if (kind == 0) {
      return;
    }
    long to = Datagram.to(copy);
    if (kind == Datagram.HELLO || kind == Datagram.ABANDON) {
      if (to == 0) {
        greeted(copy, kind, from);
      }
      return;
    }
    int slot = slot(to);
    Member member = slot < members.size() ? members.get(slot) : null;
    if (member != null && member.id() == to && from.sameSender(peers.get(slot))) {
      member.received(copy, kind, length);
    } else if (kind == Datagram.FRAGMENT || kind == Datagram.STATUS || kind == Datagram.CLOSE) {
      answerGone(copy, from);
    }
  }

  private void answerGone(MemorySegment datagram, DatagramPeer from) {
    if (goneLeft > 0) {
      goneLeft--;
      long unknown = Datagram.to(datagram);
      long asking = Datagram.from(datagram);
      send(from, Datagram.prefix(memory(), Datagram.GONE, 0, asking, unknown));
    }
  }

  private void greeted(MemorySegment hello, int kind, DatagramPeer from) {
    long client = Datagram.from(hello);
    Offer offer = Offer.of(hello, Datagram.cookie(hello));
    if (!offer.isSound()) {
      return;
    }
    long cookie = cookies.of(from.address(), client);
    if (offer.cookie() != cookie) {
      if (kind == Datagram.HELLO) {
        send(from, Datagram.challenge(memory(), client, cookie));
      }
      return;
    }
    Arrival arrival = arrivals.get(client);
    if (arrival != null && !arrival.peer().sameSender(from)) {
      return; // another client with the same number
    }
    if (kind == Datagram.ABANDON) {
      if (arrival != null) {
        abandoned(arrival);
      }
      return;
    }
    if (arrival == null) {
      XdpListener listener = tags.get(Datagram.tag(hello));
      if (listener == null) {
        send(from, Datagram.prefix(memory(), Datagram.REFUSED, Datagram.NO_TAG, client, 0));
        return;
      }
      arrival = new Arrival(from.keep(), client, Datagram.flags(hello), offer, now());
      if (!listener.arrived(arrival)) {
        send(from, Datagram.prefix(memory(), Datagram.WAIT, 0, client, 0));
        return; // there may be room when it asks again
      }
      arrivals.put(client, arrival);
    }
    arrival.heard(now());
    answer(arrival);
  }

  private void abandoned(Arrival arrival) {
    XdpPort made = arrival.port();
    if (made != null) {
      made.breakOff(Failure.lost("the peer gave up before it was accepted"));
    }
    arrival.forget();
    arrivals.remove(arrival.client());
  }

  private void answer(Arrival arrival) {
    long client = arrival.client();
    XdpPort made = arrival.port();
    int length;
    if (made != null) {
      length = Datagram.accepted(memory(), client, made.id(), made.spec().tag(), made.ownOffer());
    } else if (arrival.refusal() != 0) {
      length = Datagram.prefix(memory(), Datagram.REFUSED, arrival.refusal(), client, 0);
    } else {
      length = Datagram.prefix(memory(), Datagram.WAIT, 0, client, 0);
    }
    send(arrival.peer(), length);
  }

  // ---- accepting -----------------------------------------------------------------------------

  /// Accepts a client.
  ///
  /// @return null when it is no longer there
  /// @throws IOException when it wants another reliability, and it is told
  @Nullable XdpPort accept(Arrival arrival, PortSpec wanted) throws IOException {
    if (arrival.isGone()) {
      return null;
    }
    if (arrival.reliability() != Datagram.reliability(wanted)) {
      refuse(arrival, Datagram.OTHER_RELIABILITY);
      throw DeviceException.otherReliability(false);
    }
    Offer theirs = arrival.offer();
    PortSpec spec =
        wanted.withTransferBytes(Math.min(wanted.transferBytes(), theirs.transferBytes()));
    int datagramBytes = Math.min(theirs.datagramBytes(), device.datagramBytes());
    long id = reserve(arrival.peer());
    Offer agreed = new Offer(spec.transferBytes(), datagramBytes, theirs.limit(), 0);
    XdpPort made = new XdpPort(this, spec, id, arrival.client(), agreed);
    join(made);
    arrival.accepted(made);
    answer(arrival);
    return made;
  }

  /// Tells a client why not.
  void refuse(Arrival arrival, int why) {
    if (!arrival.isGone()) {
      arrival.refuse(why);
      answer(arrival);
    }
  }

  // ---- what connections need -----------------------------------------------------------------

  @Override
  public long now() {
    return System.nanoTime();
  }

  @Override
  public MemorySegment memory() {
    return out.segment();
  }

  @Override
  public void send(XdpPort from, int length) {
    send((Member) from, length);
  }

  /// Sends what was built to the peer of a member.
  void send(Member from, int length) {
    send(peers.get(slot(from.id())), length);
  }

  private void send(DatagramPeer to, int length) {
    if (port.isOpen()) {
      port.to(to).put(out, 0, length).send();
    }
  }

  @Override
  public void soon(XdpPort of) {
    if (of.queue()) {
      loop.execute(of.turning());
    }
  }

  @Override
  public boolean order(Runnable order) {
    return device.order(order);
  }

  @Override
  public void gone(XdpPort of) {
    boolean _ = arrivals.values().removeIf(each -> of.equals(each.port()));
    leave(of);
  }

  // ---- time and the end ----------------------------------------------------------------------

  /// @return whether the next tick is to come in a few milliseconds
  boolean tick() {
    goneLeft = MOST_GONE;
    boolean hasty = false;
    for (int i = 0; i < members.size(); i++) {
      Member member = members.get(i);
      if (member != null) {
        member.tick();
        hasty |= member.isHasty();
      }
    }
    long now = now();
    Iterator<Arrival> all = arrivals.values().iterator();
    while (all.hasNext()) {
      Arrival arrival = all.next();
      if (arrival.port() == null && now - arrival.heardAt() > SILENT_NANOS) {
        arrival.forget();
        all.remove();
      }
    }
    return hasty;
  }

  /// Tells all peers of the end.
  void stop() {
    for (int i = 0; i < members.size(); i++) {
      Member member = members.get(i);
      if (member != null) {
        member.stop();
      }
    }
  }

  /// Connections that are not over.
  int open() {
    return open;
  }

  void close() {
    port.close();
    out.release();
    in.release();
  }
}
