package sluice.nfs.v4;

import java.util.ArrayList;
import java.util.List;
import sluice.nfs.v4.wire.Opaque;

/// One owner's open of one file. Changed under the lock of [Nfs4StateManager]; any thread may read
/// its access.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | access | stateManager | volatile | volatile, under the lock |
/// | deny, modes, locks | stateManager | under the lock | under the lock |
final class Nfs4Open extends Nfs4State {
  /// Bits of share access and share deny.
  static final int READ = 1;

  static final int WRITE = 2;
  static final int BOTH = 3;

  volatile int access;
  int deny;

  /// Which pairs of access and deny it was opened with: bit `access | deny << 2`.
  int modes;

  final List<Nfs4Lock> locks = new ArrayList<>(0);

  Nfs4Open(Nfs4Client client, Nfs4File file, Opaque owner) {
    super(client, file, owner);
  }

  @Override
  Nfs4Open open() {
    return this;
  }

  void add(int moreAccess, int moreDeny) {
    modes |= 1 << (moreAccess | moreDeny << 2);
    access |= moreAccess;
    deny |= moreDeny;
  }

  /// Leaves only these rights.
  ///
  /// @return false, and nothing changed, unless they are what some of its opens asked for
  boolean downgrade(int lessAccess, int lessDeny) {
    int kept = 0;
    int sum = 0;
    for (int mode = 0; mode < 16; mode++) {
      boolean within = (mode & 3 & ~lessAccess) == 0 && (mode >> 2 & ~lessDeny) == 0;
      if ((modes & 1 << mode) != 0 && within) {
        kept |= 1 << mode;
        sum |= mode;
      }
    }
    if (kept == 0 || sum != (lessAccess | lessDeny << 2)) {
      return false;
    }
    modes = kept;
    access = lessAccess;
    deny = lessDeny;
    return true;
  }
}
