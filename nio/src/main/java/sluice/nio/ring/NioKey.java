package sluice.nio.ring;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import org.jspecify.annotations.Nullable;
import sluice.nio.descriptors.ReadyListener;
import sluice.nio.descriptors.SluiceChannel;

/// The registration of a channel with a Sluice selector. Any thread may use it, except for the
/// fields that are owned by the selecting thread.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `interest` | any thread | volatile | volatile, compare-and-set |
/// | `ready` | selecting thread | volatile | volatile |
/// | `port` | selecting thread, detaching thread | volatile | volatile |
/// | `queued` | any thread | under the selector's change lock | the same |
/// | `armed` | selecting thread | volatile: tells others that a change is needless | volatile |
/// | `slot`, `generation`, `selectedAt`, `hot` | selecting thread | plain | plain |
final class NioKey extends AbstractSelectionKey implements ReadyListener {
  private static final VarHandle INTEREST;

  static {
    try {
      INTEREST = MethodHandles.lookup().findVarHandle(NioKey.class, "interest", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Selector selector;
  private final Owner owner;
  private final AbstractSelectableChannel channel;
  private final SluiceChannel sluice;
  private volatile int interest;
  private volatile int ready;

  /// The `EPOLL` events that the kernel watches, or 0 if the descriptor is not in the kernel's set.
  volatile int armed;

  /// The channel's port in a ring, or null if the channel does not use a ring.
  volatile @Nullable RingPort port;

  boolean queued;
  int slot = -1;
  int generation;
  int selectedAt = -1;

  /// True if the key is in the list of keys that may be ready although the kernel does not report
  /// it.
  boolean hot;

  /// Receives notifications from a key. Any thread may call.
  interface Owner {
    /// Called after the key's interest set has changed.
    void interestChanged(NioKey key);

    /// Called after the channel has left its ring or has become ready without a report by the
    /// kernel.
    void lookAgain(NioKey key);
  }

  /// @param selector the selector, which is also the owner of the key
  <S extends Selector & Owner> NioKey(S selector, AbstractSelectableChannel channel) {
    this.selector = selector;
    this.owner = selector;
    this.channel = channel;
    this.sluice = (SluiceChannel) channel;
  }

  /// Records that the ring has released the channel. The selector watches it by other means from
  /// now on. Any thread may call.
  void moved() {
    port = null;
    owner.lookAgain(this);
  }

  @Override
  public void readyWithoutKernel() {
    owner.lookAgain(this);
  }

  private void ensureValid() {
    if (!isValid()) {
      throw new CancelledKeyException();
    }
  }

  @Override
  public SelectableChannel channel() {
    return channel;
  }

  @Override
  public Selector selector() {
    return selector;
  }

  SluiceChannel sluice() {
    return sluice;
  }

  @Override
  public int interestOps() {
    ensureValid();
    return interest;
  }

  @Override
  public SelectionKey interestOps(int operations) {
    ensureValid();
    check(operations);
    if ((int) INTEREST.getAndSet(this, operations) != operations) {
      owner.interestChanged(this);
    }
    return this;
  }

  @Override
  public int interestOpsOr(int operations) {
    ensureValid();
    check(operations);
    int before = (int) INTEREST.getAndBitwiseOr(this, operations);
    if ((before | operations) != before) {
      owner.interestChanged(this);
    }
    return before;
  }

  @Override
  public int interestOpsAnd(int operations) {
    ensureValid();
    int before = (int) INTEREST.getAndBitwiseAnd(this, operations);
    if ((before & operations) != before) {
      owner.interestChanged(this);
    }
    return before;
  }

  private void check(int operations) {
    if ((operations & ~channel.validOps()) != 0) {
      throw new IllegalArgumentException();
    }
  }

  @Override
  public int readyOps() {
    ensureValid();
    return ready;
  }

  /// Returns the interest set, even if the key has been cancelled.
  int interest() {
    return interest;
  }

  void interest(int operations) {
    interest = operations;
  }

  int ready() {
    return ready;
  }

  void ready(int operations) {
    ready = operations;
  }

  @Override
  public String toString() {
    return "channel="
        + channel
        + ", selector="
        + selector
        + (isValid() ? ", interestOps=" + interest + ", readyOps=" + ready : ", invalid");
  }
}
