package sluice.nfs.v4;

import sluice.nfs.rpc.XdrWriter;

/// A session: the slots through which a client's requests come. Immutable but for its slots: any
/// thread may use it.
final class Nfs4Session {
  static final int ID_BYTES = 16;

  final Nfs4Client client;

  /// The two halves of its id; the second begins with its place in the table.
  final long id;

  final long place;
  final Nfs4Channel fore;
  final Nfs4Channel back;
  private final Nfs4Slot[] slots;

  Nfs4Session(Nfs4Client client, long place, Nfs4Channel fore, Nfs4Channel back) {
    this.client = client;
    this.id = client.id;
    this.place = place;
    this.fore = fore;
    this.back = back;
    slots = new Nfs4Slot[fore.requests()];
    for (int i = 0; i < slots.length; i++) {
      slots[i] = new Nfs4Slot();
    }
  }

  int slots() {
    return slots.length;
  }

  /// @param index 0 to [#slots] - 1
  Nfs4Slot slot(int index) {
    return slots[index];
  }

  void writeId(XdrWriter out) {
    out.int64(id).int64(place);
  }
}
