package sluice.testkit.sim;

/// The faults that a simulated kernel may inject without breaking its contract.
public enum SimFault {
  /// A receive returns fewer bytes than have arrived.
  SHORT_RECEIVE,
  /// A receive returns only as many bytes as fit into the rest of a partly filled chunk.
  CUT_RECEIVE,
  /// A send takes fewer bytes than there is room for.
  SHORT_SEND,
  /// A send takes nothing although there may be room.
  SEND_EAGAIN,
  /// A wait is interrupted: the turn ends early without completions.
  EINTR,
  /// A wait ends early for no reason.
  SPURIOUS_WAKE,
  /// Completions of one turn are reordered between sockets and directions.
  REORDER,
  /// A completion is delivered later than its cause.
  DELAY,
  /// A turn delivers only some of the pending completions.
  SMALL_BATCH,
  /// A multishot operation ends together with a successful result.
  LOST_ARMING,
  /// A receive finds no chunk, although some are free by the time the caller is told.
  ENOBUFS,
  /// A connection breaks.
  RESET,
  /// An accept ends with -EMFILE.
  ACCEPT_EMFILE,
  /// A connection is gone before it is accepted: -ECONNABORTED.
  ACCEPT_ABORTED,
  /// A cancelled operation continues for a while and may still complete by itself.
  CANCEL_RACE,
  /// A sendAll is sent in small pieces over a long time.
  SLOW_SEND,
  /// A signal ends a sendAll with the bytes sent before it, or with -EINTR.
  SEND_SIGNAL
}
