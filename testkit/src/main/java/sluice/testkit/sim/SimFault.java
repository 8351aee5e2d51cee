package sluice.testkit.sim;

/// What a simulated kernel may do to its caller without breaking its promises.
public enum SimFault {
  /// A receive brings fewer bytes than have arrived.
  SHORT_RECEIVE,
  /// A receive brings what the rest of a chunk has room for, which was filled in part before.
  CUT_RECEIVE,
  /// A send takes fewer bytes than there is room for.
  SHORT_SEND,
  /// A send takes nothing although there may be room.
  SEND_EAGAIN,
  /// A wait is interrupted: the turn ends early, with nothing.
  EINTR,
  /// A wait ends early for no reason.
  SPURIOUS_WAKE,
  /// Completions of one turn change places between sockets and directions.
  REORDER,
  /// A completion comes later than its cause.
  DELAY,
  /// A turn delivers only some of the completions there are.
  SMALL_BATCH,
  /// A multishot operation ends together with a good result.
  LOST_ARMING,
  /// A receive finds no chunk although some are free by the time the caller hears of it.
  ENOBUFS,
  /// A connection breaks.
  RESET,
  /// Accepting ends with -EMFILE.
  ACCEPT_EMFILE,
  /// A connection is gone before it is accepted: -ECONNABORTED.
  ACCEPT_ABORTED,
  /// A cancelled operation goes on for a while and may still complete by itself.
  CANCEL_RACE,
  /// A sendAll leaves in small pieces over a long time.
  SLOW_SEND,
  /// A signal ends a sendAll: with what left before it, or with -EINTR.
  SEND_SIGNAL
}
