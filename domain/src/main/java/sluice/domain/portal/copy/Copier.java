package sluice.domain.portal.copy;

/// Copies objects of one class. Has no state of its own: any thread may use it, with its own
/// context.
interface Copier {
  /// The receiver's object; never null.
  Object copy(Object source, CopyContext context);
}
