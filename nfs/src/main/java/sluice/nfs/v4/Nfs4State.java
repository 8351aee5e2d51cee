package sluice.nfs.v4;

import sluice.nfs.v4.wire.Opaque;

/// What a stateid names: an open file or the locks of an owner in one. Changed under the lock of
/// [Nfs4StateManager]; any thread may look at what is volatile.
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

  /// Its place in the table of states, and what tells it from others that had the place.
  int index;

  int tag;

  /// `seqid` of the stateid: 1 at first, grows with every change.
  volatile int sequence = 1;

  volatile boolean gone;

  Nfs4State(Nfs4Client client, Nfs4File file, Opaque owner) {
    this.client = client;
    this.file = file;
    this.owner = owner;
  }

  /// The open that says what may be done with the file.
  abstract Nfs4Open open();

  /// Notes a change; 0 is not used, because in a request it means the newest.
  final void changed() {
    int next = sequence + 1;
    sequence = next == 0 ? 1 : next;
  }
}
