package sluice.domain.portal.copy;

import org.jspecify.annotations.Nullable;

/// Thrown if an object cannot be passed through a portal. The message states the class, the reason
/// and the fix. No part of the graph has been passed to the receiver.
public final class CopyRefused extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// The reason for a refusal, for callers that must distinguish between them.
  public enum Reason {
    /// The class cannot be copied at all.
    NOT_PORTABLE,
    /// The receiver does not have the class, or has a different class with the same name.
    MISMATCH,
    /// The graph exceeds the [CopyQuota].
    QUOTA,
    /// The graph is deeper than [CopyContext#MAX_DEPTH].
    TOO_DEEP,
    /// The sender has changed the graph during the copy.
    CHANGED,
    /// A constructor, `hashCode` or `compareTo` method of the receiver has thrown an exception.
    RECEIVER
  }

  private final Reason reason;

  CopyRefused(Reason reason, String what, String why, String fix) {
    this(reason, what, why, fix, null);
  }

  CopyRefused(Reason reason, String what, String why, String fix, @Nullable Throwable cause) {
    super("cannot copy " + what + " through a portal. Why: " + why + " Fix: " + fix, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }

  static CopyRefused notPortable(Class<?> type, String why, String fix) {
    return new CopyRefused(Reason.NOT_PORTABLE, type.getTypeName(), why, fix);
  }

  static CopyRefused changed(Object source) {
    return new CopyRefused(
        Reason.CHANGED,
        source.getClass().getTypeName(),
        "another thread changed it during the copy.",
        "hand over a collection that no other thread writes.");
  }
}
