package sluice.nfs.v4;

import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;

/// What the last CREATE_SESSION of a client was answered: the slot of RFC 8881, section 18.36.4.
/// Immutable: any thread may use it.
///
/// A refusal takes up a sequence too, and is repeated to the same request. Another request with the
/// sequence of a refusal is no repetition: it is worked on.
///
/// @param checksum of the arguments
/// @param status `OK` or why there is no session
/// @param results of a success
@SuppressWarnings("ArrayRecordComponent") // never compared
record SessionAnswer(int checksum, int status, byte[] results) {
  /// Whether a request with the sequence of this answer gets it again.
  boolean answers(int sum) {
    return status == NfsStatus.OK || sum == checksum;
  }

  /// @throws NfsException the refusal
  byte[] repeat() throws NfsException {
    if (status != NfsStatus.OK) {
      throw new NfsException(status);
    }
    return results;
  }
}
