package sluice.nfs.v4;

import sluice.nfs.v4.wire.Opaque;

/// The byte-range locks of one owner in one file. Instances are guarded by the lock of
/// [Nfs4StateManager].
final class Nfs4Lock extends Nfs4State {
  private final Nfs4Open open;
  final ByteRanges ranges = new ByteRanges();

  Nfs4Lock(Nfs4Open open, Opaque owner) {
    super(open.client, open.file, owner);
    this.open = open;
  }

  @Override
  Nfs4Open open() {
    return open;
  }
}
