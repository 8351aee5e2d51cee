package sluice.domain.portal;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;
import sluice.domain.portal.copy.CopyContext;
import sluice.domain.portal.copy.Loans;

/// The reference of one party to one service. Immutable except for the proxy, which is set once
/// before the handle is shared. Any thread may call.
final class Handle {
  /// A direction between two parties.
  interface Way {
    /// Returns a context for the copies of one call.
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

  /// Returns a context for the arguments of one call.
  ///
  /// @param loans records the memory that is lent to the service, or null to record it in the
  ///   context
  CopyContext arguments(@Nullable Loans loans) {
    return toService.context().forCall(loans);
  }

  CopyContext result() {
    return toHolder.context();
  }
}
