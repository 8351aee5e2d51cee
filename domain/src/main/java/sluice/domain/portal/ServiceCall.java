package sluice.domain.portal;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.domain.carrier.Carriers;
import sluice.domain.portal.copy.CopyContext;
import sluice.domain.portal.copy.CopyRefused;
import sluice.domain.portal.copy.Loans;

/// A call that runs in a thread of the service while the caller waits. The arguments are copied by
/// the service's thread, so constructors and hash codes of its party run there. The result is
/// copied by the caller's thread.
final class ServiceCall extends PendingCall<ServiceCall.Outcome> {
  sealed interface Outcome permits Returned, Thrown, Abandoned {}

  private record Returned(@Nullable Object value) implements Outcome {}

  private record Thrown(Fault fault) implements Outcome {}

  private record Abandoned(RuntimeException why) implements Outcome {}

  private static final long SWITCH_NANOS = 1_000_000_000;
  private static final long LOOK_AGAIN_NANOS = 10_000;

  private final Proxy proxy;
  private final int method;
  private Handle handle;
  private Signature signature;
  private final @Nullable Object[] arguments;
  private final Thread caller = Thread.currentThread();
  private final @Nullable ServiceCall parent = Frame.current().running;

  /// True once a waiting platform thread has stopped spinning and must be unparked.
  private volatile boolean isParking;

  /// The memory lent to the service, or null if there are no arguments.
  private final @Nullable Loans loans;

  ServiceCall(Proxy proxy, int method, @Nullable Object[] arguments) {
    this.proxy = proxy;
    this.method = method;
    this.handle = proxy.handle();
    this.signature = handle.signatures[method];
    this.arguments = arguments;
    loans = arguments.length == 0 ? null : new Loans();
  }

  /// Returns true if the call originates, through any number of portals, from a call of the same
  /// service.
  boolean isReentrant() {
    for (ServiceCall call = parent; call != null; call = call.parent) {
      if (call.handle.service == handle.service) {
        return true;
      }
    }
    return false;
  }

  /// Submits the call and waits for its outcome. Called by the caller's thread.
  @Nullable Object call() throws Throwable {
    boolean isPlatform = !caller.isVirtual();
    boolean spins = isPlatform && Carriers.areBusy();
    submit();
    try {
      if (spins) {
        handle.service.spins.await(() -> outcome() != null);
      }
      isParking = isPlatform;
      while (outcome() == null) {
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
    return switch (outcome()) {
      case Returned returned -> {
        requireUsable();
        Object value = returned.value();
        yield value == null ? null : signature.result(handle.result(), value);
      }
      case Thrown thrown -> {
        requireUsable(); // an exception of a dying party is its end
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

  /// Submits the call to the service, or to its successor if it has been replaced in the meantime.
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
          LockSupport.parkNanos(LOOK_AGAIN_NANOS); // the portal is about to switch to the successor
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

  /// Terminates the wait of the caller and interrupts the service, whose result is lost.
  @Override
  void abandon(RuntimeException why) {
    boolean _ = abandonAs(new Abandoned(why));
  }

  @Override
  Party owner() {
    return handle.service.owner;
  }

  @Override
  void told(Outcome known, boolean thenWaits) {
    if (thenWaits && caller.isVirtual()) {
      Carriers.handOver(caller);
    } else if (isParking || caller.isVirtual()) {
      LockSupport.unpark(caller);
    }
  }

  private @Nullable Object[] copies() {
    CopyContext context = handle.arguments(loans);
    @Nullable Object[] copies = new Object[arguments.length];
    for (int i = 0; i < copies.length; i++) {
      copies[i] = signature.argument(context, i, arguments[i]);
    }
    return copies;
  }

  @Override
  Outcome invoke() {
    Frame frame = Frame.current();
    frame.party = handle.service.owner;
    frame.running = this;
    try {
      @Nullable Object[] copies = arguments.length == 0 ? arguments : copies();
      return new Returned(signature.boxed.invokeExact(handle.service.target(), copies));
    } catch (CopyRefused refused) {
      return new Abandoned(refused);
    } catch (Throwable thrown) {
      return new Thrown(Fault.of(thrown));
    } finally {
      frame.party = null;
      frame.running = null;
    }
  }
}
