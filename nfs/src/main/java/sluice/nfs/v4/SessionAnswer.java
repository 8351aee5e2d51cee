package sluice.nfs.v4;

import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;

/// The reply to the last CREATE_SESSION of a client: the slot of RFC 8881, section 18.36.4.
/// Immutable and thread-safe.
///
/// A refusal uses up a sequence number too, and is repeated to a retry of the same request. A
/// different request with the sequence number of a refusal is not a retry: it is executed.
///
/// @param checksum the checksum of the arguments
/// @param status `OK`, or the reason of the refusal
/// @param results the results of a success
@SuppressWarnings("ArrayRecordComponent") // never compared
record SessionAnswer(int checksum, int status, byte[] results) {
  /// Returns true if a request with this sequence number gets this reply again.
  boolean answers(int sum) {
    return status == NfsStatus.OK || sum == checksum;
  }

  /// Returns the results again.
  ///
  /// @throws NfsException the refusal
  byte[] repeat() throws NfsException {
    if (status != NfsStatus.OK) {
      throw new NfsException(status);
    }
    return results;
  }
}
