package sluice.nfs.v4;

import sluice.nfs.export.NfsStatus;

/// Status codes of NFSv4.1 that NFSv3 does not have (RFC 8881, section 15.1); the others are in
/// [NfsStatus]. Constants: any thread may use them.
final class Nfs4Status {
  static final int DELAY = NfsStatus.JUKEBOX;
  static final int SAME = 10009;
  static final int DENIED = 10010;
  static final int LOCKED = 10012;
  static final int GRACE = 10013;
  static final int SHARE_DENIED = 10015;
  static final int CLID_INUSE = 10017;
  static final int NOFILEHANDLE = 10020;
  static final int MINOR_VERS_MISMATCH = 10021;
  static final int STALE_CLIENTID = 10022;
  static final int STALE_STATEID = 10023;
  static final int OLD_STATEID = 10024;
  static final int BAD_STATEID = 10025;
  static final int NOT_SAME = 10027;
  static final int SYMLINK = 10029;
  static final int ATTRNOTSUPP = 10032;
  static final int NO_GRACE = 10033;
  static final int RECLAIM_BAD = 10034;
  static final int RECLAIM_CONFLICT = 10035;
  static final int BADXDR = 10036;
  static final int LOCKS_HELD = 10037;
  static final int OPENMODE = 10038;
  static final int BADOWNER = 10039;
  static final int BADNAME = 10041;
  static final int OP_ILLEGAL = 10044;
  static final int BADSESSION = 10052;
  static final int BADSLOT = 10053;
  static final int COMPLETE_ALREADY = 10054;
  static final int CONN_NOT_BOUND_TO_SESSION = 10055;
  static final int LAYOUTUNAVAILABLE = 10059;
  static final int SEQ_MISORDERED = 10063;
  static final int SEQUENCE_POS = 10064;
  static final int REQ_TOO_BIG = 10065;
  static final int REP_TOO_BIG = 10066;
  static final int REP_TOO_BIG_TO_CACHE = 10067;
  static final int RETRY_UNCACHED_REP = 10068;
  static final int TOO_MANY_OPS = 10070;
  static final int OP_NOT_IN_SESSION = 10071;
  static final int CLIENTID_BUSY = 10074;
  static final int SEQ_FALSE_RETRY = 10076;
  static final int BAD_HIGH_SLOT = 10077;
  static final int DEADSESSION = 10078;
  static final int ENCR_ALG_UNSUPP = 10079;
  static final int NOT_ONLY_OP = 10081;
  static final int WRONG_TYPE = 10083;

  private Nfs4Status() {}
}
