package sluice.nfs.v4;

import sluice.nfs.v4.wire.Opaque;

/// The state that is identified by a stateid, which is either an open or the locks of one owner in
/// one file. It is changed under the lock of [Nfs4StateManager], but any thread may read the
/// volatile fields.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | index, tag | [Nfs4StateTable], before others see it | plain | plain |
/// | sequence | stateManager | volatile | volatile, under the lock |
/// | gone | stateManager | volatile | volatile, under the lock |
abstract sealed class Nfs4State permits Nfs4Open, Nfs4Lock {
  final Nfs4Client client;
  final Nfs4File file;
  final Opaque owner;

  /// The index in the table of states. The tag distinguishes this state from earlier states with
  /// the same index.
  int index;

  int tag;

  /// The `seqid` of the stateid, which is initially 1 and is incremented by each change.
  volatile int sequence = 1;

  volatile boolean gone;

  Nfs4State(Nfs4Client client, Nfs4File file, Opaque owner) {
    this.client = client;
    this.file = file;
    this.owner = owner;
  }

  /// Returns the open that determines the allowed access to the file.
  abstract Nfs4Open open();

  /// Increments the sequence number. The value 0 is skipped because it means "the newest" in a
  /// request.
  final void changed() {
    int next = sequence + 1;
    sequence = next == 0 ? 1 : next;
  }
}
