package sluice.vi.ring;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import sluice.vi.device.DeviceException;
import sluice.vi.device.Failure;
import sluice.vi.device.Fault;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// The greeting of the connecting side, which sends its request and reads the verdict. Owned by the
/// loop's thread, except for the answer.
final class Connecting extends Greeting {
  private final RingLoop loop;
  private final PortSpec spec;
  private final CompletableFuture<Port> answer = new CompletableFuture<>();
  private @Nullable RingConnection connection;
  private boolean reached;
  private boolean said;

  Connecting(RingLoop loop, PortSpec spec) {
    super(Frame.ANSWER_BYTES);
    this.loop = loop;
    this.spec = spec;
  }

  CompletableFuture<Port> answer() {
    return answer;
  }

  void connection(RingConnection made) {
    connection = made;
  }

  /// Aborts the connection because the timeout has expired.
  void abandon() {
    RingConnection made = connection;
    if (made != null && !answer.isDone()) {
      made.abort();
    }
  }

  @Override
  public void connected() {
    reached = true;
  }

  @Override
  public int fill(MemorySegment memory) {
    if (said) {
      return 0;
    }
    said = true;
    return Frame.hello(memory, spec);
  }

  @Override
  void heard(byte[] words) {
    RingConnection made = connection;
    int verdict = Frame.number(words, 4);
    int bytes = Frame.number(words, 8);
    if (made == null || Frame.number(words, 0) != Frame.MAGIC) {
      refuse(new DeviceException(Fault.REFUSED, "what listens there is no VI. Fix: the address"));
    } else if (verdict == Frame.OTHER_RELIABILITY) {
      refuse(DeviceException.otherReliability(true));
    } else if (verdict == Frame.NO_TAG) {
      refuse(noListener(""));
    } else if (verdict != Frame.ACCEPTED || bytes < 1 || bytes > spec.transferBytes()) {
      refuse(
          new DeviceException(
              Fault.PEER_LOST, "the listener answered messages of " + bytes + " bytes"));
    } else {
      RingPort port = new RingPort(loop, made, spec.withTransferBytes(bytes), false);
      made.user(port);
      answer.complete(port);
    }
  }

  private DeviceException noListener(String detail) {
    return DeviceException.noListener(
        "for tag " + spec.tag() + detail + ". Fix: start the server first, at this host and port");
  }

  private void refuse(DeviceException why) {
    answer.completeExceptionally(why);
    RingConnection made = connection;
    if (made != null) {
      made.abort();
    }
  }

  /// Reports that the connection attempt could not be started.
  void notBegun(IOException why) {
    answer.completeExceptionally(noListener(" (" + why.getMessage() + ")"));
  }

  @Override
  void failed(Failure why) {
    if (why.fault() == Fault.CLOSED) {
      answer.completeExceptionally(DeviceException.deviceClosed());
    } else if (!reached) {
      answer.completeExceptionally(noListener(" (" + why + ")"));
    } else if (why.fault() == Fault.PEER_LOST) {
      answer.completeExceptionally(DeviceException.peerListenerClosed());
    } else {
      answer.completeExceptionally(new DeviceException(why.fault(), why.why()));
    }
  }
}
