package sluice.domain.portal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.domain.carrier.Carriers;
import sluice.domain.portal.copy.CopyContext;
import sluice.domain.portal.copy.CopyRefused;
import sluice.domain.portal.copy.Loans;

/// One call in the service's thread. The caller makes it and waits; the service's thread copies the
/// arguments, so constructors and hashes of its party run there; the caller copies the result.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | outcome | service's thread, the ending thread, or the caller | volatile | compareAndSet from null |
/// | runner | service's thread | under the monitor | volatile; null under the monitor |
///
/// A call that is abandoned interrupts its runner, if there is one, under the monitor. The runner
/// takes the monitor only to leave such a call: then the interrupt has come, or does not come.
final class ServiceCall extends OpenCalls.Entry {
  private sealed interface Outcome permits Returned, Thrown, Abandoned {}

  private record Returned(@Nullable Object value) implements Outcome {}

  private record Thrown(Fault fault) implements Outcome {}

  private record Abandoned(RuntimeException why) implements Outcome {}

  private static final long SWITCH_NANOS = 1_000_000_000;
  private static final long LOOK_AGAIN_NANOS = 10_000;

  private static final VarHandle OUTCOME;

  static {
    try {
      OUTCOME = MethodHandles.lookup().findVarHandle(ServiceCall.class, "outcome", Outcome.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Proxy proxy;
  private final int method;
  private Handle handle;
  private Signature signature;
  private final @Nullable Object[] arguments;
  private final Thread caller = Thread.currentThread();
  private final @Nullable ServiceCall parent = Frame.current().running;

  /// Null if there are no arguments.
  private final @Nullable Loans loans;

  private volatile @Nullable Outcome outcome;
  private volatile @Nullable Thread runner;

  ServiceCall(Proxy proxy, int method, @Nullable Object[] arguments) {
    this.proxy = proxy;
    this.method = method;
    this.handle = proxy.handle();
    this.signature = handle.signatures[method];
    this.arguments = arguments;
    loans = arguments.length == 0 ? null : new Loans();
  }

  /// Whether the call came, through any number of portals, from a call of the same service.
  boolean isReentrant() {
    for (ServiceCall call = parent; call != null; call = call.parent) {
      if (call.handle.service == handle.service) {
        return true;
      }
    }
    return false;
  }

  /// By the caller: waits for the outcome.
  @Nullable Object call() throws Throwable {
    submit();
    try {
      while (outcome == null) {
        LockSupport.park(this);
        if (Thread.currentThread().isInterrupted()) {
          abandon(cancelled());
        }
      }
    } finally {
      if (loans != null) {
        loans.end();
      }
      handle.service.finished(this);
    }
    return switch (outcome) {
      case Returned returned -> {
        requireUsable();
        Object value = returned.value();
        yield value == null ? null : signature.result(handle.result(), value);
      }
      case Thrown thrown -> {
        requireUsable(); // what a dying party throws is its end
        throw thrown.fault().forCaller(handle.holder.loader());
      }
      case Abandoned abandoned -> throw abandoned.why();
      case null -> throw new IllegalStateException("no outcome");
    };
  }

  private void requireUsable() {
    if (!handle.service.isReplaced()) {
      handle.service.requireUsable();
    }
  }

  /// Hands the call to the service; if another has taken its place meanwhile, to that.
  private void submit() {
    long since = 0;
    while (true) {
      try {
        handle.service.submit(this);
        return;
      } catch (PortalRevoked e) {
        Handle now = proxy.handle();
        long time = System.nanoTime();
        since = since == 0 ? time : since;
        if (now == handle && (!now.service.isReplaced() || time - since > SWITCH_NANOS)) {
          throw e;
        }
        if (now == handle) {
          LockSupport.parkNanos(LOOK_AGAIN_NANOS); // the portal is about to lead to the successor
        }
        handle = now;
        signature = now.signatures[method];
      }
    }
  }

  private RuntimeException cancelled() {
    String what = handle.service.type.getName() + "." + signature.method.getName();
    return new CallCancelled("the caller of " + what + " was interrupted");
  }

  /// Ends the wait of the caller, and interrupts the service; what it still does is lost.
  @Override
  void abandon(RuntimeException why) {
    if (settle(new Abandoned(why), false) && runner != null) {
      handle.service.owner.aside(this::interrupt);
    }
  }

  /// Not by the caller or the thread that ends the service, where the service is a domain's: its
  /// code may close the channel that the runner waits on.
  private synchronized void interrupt() {
    Thread running = runner;
    if (running != null) {
      running.interrupt();
    }
  }

  /// @param thenWaits whether the calling thread is about to wait
  private boolean settle(Outcome settled, boolean thenWaits) {
    boolean first = OUTCOME.compareAndSet(this, null, settled);
    if (first && thenWaits) {
      Carriers.handOver(caller);
    } else if (first) {
      LockSupport.unpark(caller);
    }
    return first;
  }

  @Override
  void run(boolean isLast) {
    runner = Thread.currentThread();
    boolean isAbandoned = outcome != null;
    if (!isAbandoned) {
      Frame frame = Frame.current();
      frame.party = handle.service.owner;
      frame.running = this;
      try {
        isAbandoned = !settle(invoke(), isLast);
      } finally {
        frame.party = null;
        frame.running = null;
      }
    }
    if (isAbandoned) {
      synchronized (this) {
        runner = null;
      }
    }
    Thread.interrupted(); // an interrupt of this call is not the next one's
  }

  private @Nullable Object[] copies() {
    CopyContext context = handle.arguments(loans);
    @Nullable Object[] copies = new Object[arguments.length];
    for (int i = 0; i < copies.length; i++) {
      copies[i] = signature.argument(context, i, arguments[i]);
    }
    return copies;
  }

  private Outcome invoke() {
    try {
      @Nullable Object[] copies = arguments.length == 0 ? arguments : copies();
      return new Returned(signature.boxed.invokeExact(handle.service.target(), copies));
    } catch (CopyRefused refused) {
      return new Abandoned(refused);
    } catch (Throwable thrown) {
      return new Thrown(Fault.of(thrown));
    }
  }
}
