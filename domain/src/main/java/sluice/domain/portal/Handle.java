package sluice.domain.portal;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;
import sluice.domain.portal.copy.CopyContext;
import sluice.domain.portal.copy.Loans;

/// What one party holds of one service. Any thread; immutable but for the proxy, which is set once
/// before the handle is shared.
final class Handle {
  /// From one party to the other.
  interface Way {
    /// For the copies of one call.
    CopyContext context();
  }

  final Service service;
  final Party holder;
  final Way toService;
  final Way toHolder;
  final Signature[] signatures;
  WeakReference<@Nullable Object> proxy = new WeakReference<>(null);

  Handle(Service service, Party holder, Way toService, Way toHolder, Signature[] signatures) {
    this.service = service;
    this.holder = holder;
    this.toService = toService;
    this.toHolder = toHolder;
    this.signatures = signatures;
  }

  /// @param loans where memory is noted that is lent to the service, or null for the context
  CopyContext arguments(@Nullable Loans loans) {
    return toService.context().forCall(loans);
  }

  CopyContext result() {
    return toHolder.context();
  }
}
