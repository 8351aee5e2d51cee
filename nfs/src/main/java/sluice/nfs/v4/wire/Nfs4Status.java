package sluice.nfs.v4.wire;

import sluice.nfs.export.NfsStatus;

/// The status codes of NFSv4.1 that do not exist in NFSv3 (RFC 8881, section 15.1). All other
/// status codes are defined by [NfsStatus].
public final class Nfs4Status {
  public static final int DELAY = NfsStatus.JUKEBOX;
  public static final int SAME = 10009;
  public static final int DENIED = 10010;
  public static final int LOCKED = 10012;
  public static final int GRACE = 10013;
  public static final int SHARE_DENIED = 10015;
  public static final int CLID_INUSE = 10017;
  public static final int NOFILEHANDLE = 10020;
  public static final int MINOR_VERS_MISMATCH = 10021;
  public static final int STALE_CLIENTID = 10022;
  public static final int STALE_STATEID = 10023;
  public static final int OLD_STATEID = 10024;
  public static final int BAD_STATEID = 10025;
  public static final int NOT_SAME = 10027;
  public static final int SYMLINK = 10029;
  public static final int ATTRNOTSUPP = 10032;
  public static final int NO_GRACE = 10033;
  public static final int RECLAIM_BAD = 10034;
  public static final int RECLAIM_CONFLICT = 10035;
  public static final int BADXDR = 10036;
  public static final int LOCKS_HELD = 10037;
  public static final int OPENMODE = 10038;
  public static final int BADOWNER = 10039;
  public static final int BADNAME = 10041;
  public static final int OP_ILLEGAL = 10044;
  public static final int BADSESSION = 10052;
  public static final int BADSLOT = 10053;
  public static final int COMPLETE_ALREADY = 10054;
  public static final int CONN_NOT_BOUND_TO_SESSION = 10055;
  public static final int LAYOUTUNAVAILABLE = 10059;
  public static final int SEQ_MISORDERED = 10063;
  public static final int SEQUENCE_POS = 10064;
  public static final int REQ_TOO_BIG = 10065;
  public static final int REP_TOO_BIG = 10066;
  public static final int REP_TOO_BIG_TO_CACHE = 10067;
  public static final int RETRY_UNCACHED_REP = 10068;
  public static final int TOO_MANY_OPS = 10070;
  public static final int OP_NOT_IN_SESSION = 10071;
  public static final int CLIENTID_BUSY = 10074;
  public static final int SEQ_FALSE_RETRY = 10076;
  public static final int BAD_HIGH_SLOT = 10077;
  public static final int DEADSESSION = 10078;
  public static final int ENCR_ALG_UNSUPP = 10079;
  public static final int NOT_ONLY_OP = 10081;
  public static final int WRONG_TYPE = 10083;

  private Nfs4Status() {}
}
