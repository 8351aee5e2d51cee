package sluice.nfs.v4;

import sluice.nfs.export.NfsException;
import sluice.nfs.export.NfsStatus;

/// The reply to the last CREATE_SESSION of a client, which RFC 8881, section 18.36.4, calls the
/// slot. Instances are immutable and thread-safe.
///
/// A refusal also consumes a sequence number and is repeated if the same request is retried. If a
/// different request has the sequence number of a refusal, it is not a retry and is executed.
///
/// @param checksum the checksum of the arguments
/// @param status `OK`, or the reason of the refusal
/// @param results the results if the status is `OK`
@SuppressWarnings("ArrayRecordComponent") // never compared
record SessionAnswer(int checksum, int status, byte[] results) {
  /// Returns true if this is also the reply to a request with the same sequence number and the
  /// given checksum.
  boolean answers(int sum) {
    return status == NfsStatus.OK || sum == checksum;
  }

  /// Returns the results for a retry.
  ///
  /// @throws NfsException if this reply is a refusal
  byte[] repeat() throws NfsException {
    if (status != NfsStatus.OK) {
      throw new NfsException(status);
    }
    return results;
  }
}
