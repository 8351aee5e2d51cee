package sluice.vi.xdp;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import sluice.vi.device.DeviceException;
import sluice.vi.device.Fault;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// The connecting side's greeting. Of the device's thread, except for the answer.
///
/// ```
///  HELLO ──▶ CHALLENGE ──▶ HELLO with the cookie ──▶ WAIT … ──▶ ACCEPTED or REFUSED
///    └── again, at first after 20 ms, then after twice that, at most 500 ms ──┘
/// ```
final class Connecting implements Member {
  private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /// Greetings without any answer, some 3 s.
  private static final int MOST_UNANSWERED = 10;

  private final SharedPort shared;
  private final PortSpec spec;
  private final String place;
  private final long id;
  private final int datagramBytes;
  private final long timeoutNanos;
  private final long began;
  private final CompletableFuture<Port> answer;
  private long cookie;
  private boolean heard;
  private int unanswered;
  private long wait = FIRST_NANOS;
  private long due;

  /// @param place for messages
  /// @param timeoutNanos negative waits for ever
  Connecting(
      SharedPort shared,
      PortSpec spec,
      String place,
      long id,
      int datagramBytes,
      long timeoutNanos) {
    this.shared = shared;
    this.spec = spec;
    this.place = place;
    this.id = id;
    this.datagramBytes = datagramBytes;
    this.timeoutNanos = timeoutNanos;
    began = shared.now();
    answer = new CompletableFuture<>();
  }

  CompletableFuture<Port> answer() {
    return answer;
  }

  /// Says what it wants.
  void greet() {
    say(Datagram.HELLO);
    due = shared.now() + wait;
    wait = Math.min(2 * wait, MOST_NANOS);
  }

  private void say(int kind) {
    int limit = ReceiveWindow.slots(spec, datagramBytes - Datagram.HEAD_BYTES);
    Offer offer = new Offer(spec.transferBytes(), datagramBytes, limit, cookie);
    shared.send(this, Datagram.hello(shared.memory(), kind, id, spec, offer));
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public void received(MemorySegment datagram, int kind, int length) {
    heard = true;
    unanswered = 0;
    switch (kind) {
      case Datagram.CHALLENGE -> {
        long told = Datagram.challenge(datagram);
        if (cookie != told) {
          cookie = told;
          greet();
        }
      }
      case Datagram.ACCEPTED -> accepted(datagram);
      case Datagram.REFUSED -> refused(Datagram.flags(datagram));
      default -> {} // it waits, or a datagram came before its ACCEPTED and will come again
    }
  }

  private void accepted(MemorySegment datagram) {
    Offer offer = Offer.of(datagram, 0);
    long peerId = Datagram.from(datagram);
    boolean fits =
        offer.isSound()
            && Datagram.tag(datagram) == spec.tag()
            && offer.transferBytes() <= spec.transferBytes()
            && offer.datagramBytes() <= datagramBytes;
    if (!fits) {
      failed(new DeviceException(Fault.PEER_LOST, "the listener answered what was not asked"));
      return;
    }
    PortSpec agreed = spec.withTransferBytes(offer.transferBytes());
    XdpPort made = new XdpPort(shared, agreed, id, peerId, offer);
    shared.join(made);
    answer.complete(made);
  }

  private void refused(int why) {
    if (why == Datagram.OTHER_RELIABILITY) {
      failed(DeviceException.otherReliability(true));
    } else {
      failed(noListener(""));
    }
  }

  private DeviceException noListener(String detail) {
    return DeviceException.noListener(
        "for tag " + spec.tag() + detail + ". Fix: start the server first, at this host and port");
  }

  @Override
  public void tick() {
    long now = shared.now();
    if (timeoutNanos >= 0 && now - began >= timeoutNanos) {
      abandon(
          heard
              ? DeviceException.notAccepted(null)
              : new DeviceException(
                  Fault.TIMED_OUT,
                  "nothing answered at " + place + " in time. Fix: start the server first"));
    } else if (now - due >= 0) {
      if (unanswered == MOST_UNANSWERED) {
        abandon(noListener(" (nothing answers at " + place + ")"));
      } else {
        unanswered++;
        greet();
      }
    }
  }

  /// Gives up, and tells the listener.
  void abandon(DeviceException why) {
    if (!answer.isDone()) {
      say(Datagram.ABANDON);
      failed(why);
    }
  }

  private void failed(DeviceException why) {
    shared.leave(this);
    boolean _ = answer.completeExceptionally(why);
  }

  @Override
  public boolean isHasty() {
    return true;
  }

  @Override
  public void stop() {
    abandon(DeviceException.deviceClosed());
  }
}
