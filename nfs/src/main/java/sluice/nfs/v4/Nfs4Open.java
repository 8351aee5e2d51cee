package sluice.nfs.v4;

import java.util.ArrayList;
import java.util.List;
import sluice.nfs.v4.wire.Opaque;

/// The open of a file by an open owner. It is changed under the lock of [Nfs4StateManager], except
/// that any thread may read `access`.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | access | stateManager | volatile | volatile, under the lock |
/// | deny, modes, locks | stateManager | under the lock | under the lock |
final class Nfs4Open extends Nfs4State {
  /// The bits of share access and share deny.
  static final int READ = 1;

  static final int WRITE = 2;
  static final int BOTH = 3;

  volatile int access;
  int deny;

  /// The combinations of access and deny with which the file was opened. Each combination is
  /// represented by the bit `access | deny << 2`.
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

  /// Reduces the rights of this open.
  ///
  /// @return false if the rights are not the union of some earlier opens, in which case nothing is
  ///   changed
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
