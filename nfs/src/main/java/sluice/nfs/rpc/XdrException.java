package sluice.nfs.rpc;

/// What was received is not the XDR that was expected: too short, a length beyond its bound, a
/// value that is none. Thrown by decoders; the answer to the call is `GARBAGE_ARGS`.
public final class XdrException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// @param what was expected
  public XdrException(String what) {
    super(what, null, false, false); // no stack trace: peers can make as many of these as they like
  }
}
