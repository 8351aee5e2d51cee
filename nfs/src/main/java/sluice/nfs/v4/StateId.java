package sluice.nfs.v4;

import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;

/// A stateid (RFC 8881, section 8.2), which is a reference to one version of a state. Instances are
/// immutable and thread-safe.
///
/// ```
///  0        4         8                16
///  +--------+---------+--------+--------+
///  | seqid  |instance | index  |  tag   |
///  +--------+---------+--------+--------+
/// ```
///
/// @param sequence the version of the state, where 0 in a request means the newest version
/// @param instance the run of the server that created the stateid
/// @param place the index in the table of states and a tag
record StateId(int sequence, int instance, long place) {
  /// The anonymous stateid, which is used to read and write without an open (section 8.2.3).
  static final StateId ANONYMOUS = new StateId(0, 0, 0);

  /// The READ bypass stateid. Unlike [#ANONYMOUS], it ignores share denies when reading.
  private static final StateId BYPASS = new StateId(-1, -1, -1);

  /// The current stateid, which refers to the stateid that was last set in the COMPOUND.
  private static final StateId CURRENT = new StateId(1, 0, 0);

  /// The stateid that is returned by CLOSE. It does not identify a state.
  static final StateId INVALID = new StateId(-1, 0, 0);

  static StateId of(int instance, Nfs4State state) {
    long place = (long) state.index << 32 | (state.tag & 0xFFFF_FFFFL);
    return new StateId(state.sequence, instance, place);
  }

  static StateId read(XdrReader in) {
    int sequence = in.int32();
    int instance = in.int32();
    return new StateId(sequence, instance, in.int64());
  }

  void write(XdrWriter out) {
    out.int32(sequence).int32(instance).int64(place);
  }

  boolean isCurrent() {
    return equals(CURRENT);
  }

  /// Returns true if this is a special stateid that does not identify a state.
  boolean isSpecial() {
    return isBypass() || equals(ANONYMOUS);
  }

  boolean isBypass() {
    return equals(BYPASS);
  }

  int index() {
    return (int) (place >>> 32);
  }

  int tag() {
    return (int) place;
  }
}
