package sluice.nfs;

/// Numbers of NFSv4.1's operations (RFC 8881, section 18; RFC 5662). Constants: any thread may use
/// them.
final class Nfs4Op {
  static final int ACCESS = 3;
  static final int CLOSE = 4;
  static final int COMMIT = 5;
  static final int CREATE = 6;
  static final int DELEGPURGE = 7;
  static final int DELEGRETURN = 8;
  static final int GETATTR = 9;
  static final int GETFH = 10;
  static final int LINK = 11;
  static final int LOCK = 12;
  static final int LOCKT = 13;
  static final int LOCKU = 14;
  static final int LOOKUP = 15;
  static final int LOOKUPP = 16;
  static final int NVERIFY = 17;
  static final int OPEN = 18;
  static final int OPENATTR = 19;
  static final int OPEN_DOWNGRADE = 21;
  static final int PUTFH = 22;
  static final int PUTPUBFH = 23;
  static final int PUTROOTFH = 24;
  static final int READ = 25;
  static final int READDIR = 26;
  static final int READLINK = 27;
  static final int REMOVE = 28;
  static final int RENAME = 29;
  static final int RESTOREFH = 31;
  static final int SAVEFH = 32;
  static final int SECINFO = 33;
  static final int SETATTR = 34;
  static final int VERIFY = 37;
  static final int WRITE = 38;
  static final int BACKCHANNEL_CTL = 40;
  static final int BIND_CONN_TO_SESSION = 41;
  static final int EXCHANGE_ID = 42;
  static final int CREATE_SESSION = 43;
  static final int DESTROY_SESSION = 44;
  static final int FREE_STATEID = 45;
  static final int LAYOUTGET = 50;
  static final int SECINFO_NO_NAME = 52;
  static final int SEQUENCE = 53;
  static final int TEST_STATEID = 55;
  static final int DESTROY_CLIENTID = 57;
  static final int RECLAIM_COMPLETE = 58;

  /// What a reply says instead of a number that is none.
  static final int ILLEGAL = 10044;

  private Nfs4Op() {}

  /// Whether the minor version has it, be it served or not.
  static boolean exists(int op) {
    return op >= ACCESS && op <= RECLAIM_COMPLETE;
  }

  /// Whether it may come without SEQUENCE, alone in its COMPOUND.
  static boolean needsNoSession(int op) {
    return switch (op) {
      case EXCHANGE_ID, CREATE_SESSION, DESTROY_SESSION, BIND_CONN_TO_SESSION, DESTROY_CLIENTID ->
          true;
      default -> false;
    };
  }

  /// Whether it only looks at files, and needs no client.
  static boolean looks(int op) {
    return switch (op) {
      case ACCESS, GETATTR, GETFH, LOOKUP, PUTFH, RESTOREFH, SAVEFH -> true;
      default -> false;
    };
  }

  /// Whether doing it twice is not the same as doing it once: its reply must have room before it is
  /// begun.
  static boolean isOnce(int op) {
    return switch (op) {
      case CLOSE, CREATE, LINK, LOCK, LOCKU, OPEN, OPEN_DOWNGRADE, REMOVE, RENAME, SETATTR, WRITE ->
          true;
      default -> false;
    };
  }
}
