package sluice.nfs.v4.wire;

/// The numbers of the operations of NFSv4.1 (RFC 8881, section 18; RFC 5662).
public final class Nfs4Op {
  public static final int ACCESS = 3;
  public static final int CLOSE = 4;
  public static final int COMMIT = 5;
  public static final int CREATE = 6;
  public static final int DELEGPURGE = 7;
  public static final int DELEGRETURN = 8;
  public static final int GETATTR = 9;
  public static final int GETFH = 10;
  public static final int LINK = 11;
  public static final int LOCK = 12;
  public static final int LOCKT = 13;
  public static final int LOCKU = 14;
  public static final int LOOKUP = 15;
  public static final int LOOKUPP = 16;
  public static final int NVERIFY = 17;
  public static final int OPEN = 18;
  public static final int OPENATTR = 19;
  public static final int OPEN_DOWNGRADE = 21;
  public static final int PUTFH = 22;
  public static final int PUTPUBFH = 23;
  public static final int PUTROOTFH = 24;
  public static final int READ = 25;
  public static final int READDIR = 26;
  public static final int READLINK = 27;
  public static final int REMOVE = 28;
  public static final int RENAME = 29;
  public static final int RESTOREFH = 31;
  public static final int SAVEFH = 32;
  public static final int SECINFO = 33;
  public static final int SETATTR = 34;
  public static final int VERIFY = 37;
  public static final int WRITE = 38;
  public static final int BACKCHANNEL_CTL = 40;
  public static final int BIND_CONN_TO_SESSION = 41;
  public static final int EXCHANGE_ID = 42;
  public static final int CREATE_SESSION = 43;
  public static final int DESTROY_SESSION = 44;
  public static final int FREE_STATEID = 45;
  public static final int LAYOUTGET = 50;
  public static final int SECINFO_NO_NAME = 52;
  public static final int SEQUENCE = 53;
  public static final int TEST_STATEID = 55;
  public static final int DESTROY_CLIENTID = 57;
  public static final int RECLAIM_COMPLETE = 58;

  /// The operation number in the reply to an operation that does not exist.
  public static final int ILLEGAL = 10044;

  private Nfs4Op() {}

  /// Returns true if the operation exists in NFSv4.1, even if it is not supported.
  public static boolean exists(int op) {
    return op >= ACCESS && op <= RECLAIM_COMPLETE;
  }

  /// Returns true if the operation may be sent without SEQUENCE as the only operation of its
  /// COMPOUND.
  public static boolean needsNoSession(int op) {
    return switch (op) {
      case EXCHANGE_ID, CREATE_SESSION, DESTROY_SESSION, BIND_CONN_TO_SESSION, DESTROY_CLIENTID ->
          true;
      default -> false;
    };
  }

  /// Returns true if the operation only reads file attributes and handles and does not require a
  /// client.
  public static boolean looks(int op) {
    return switch (op) {
      case ACCESS, GETATTR, GETFH, LOOKUP, PUTFH, RESTOREFH, SAVEFH -> true;
      default -> false;
    };
  }

  /// Returns true if the operation is not idempotent. There must be enough space for its result in
  /// the reply before it is started.
  public static boolean isOnce(int op) {
    return switch (op) {
      case CLOSE, CREATE, LINK, LOCK, LOCKU, OPEN, OPEN_DOWNGRADE, REMOVE, RENAME, SETATTR, WRITE ->
          true;
      default -> false;
    };
  }
}
