package sluice.nfs.rpc;

/// Thrown by decoders when a message is not valid XDR, because it is too short, a length exceeds
/// its limit, or a value is not allowed. The reply to the call is `GARBAGE_ARGS`.
public final class XdrException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// Creates an exception without a stack trace.
  ///
  /// @param what a description of the violated expectation
  public XdrException(String what) {
    super(what, null, false, false); // no stack trace: peers can cause any number of these
  }
}
