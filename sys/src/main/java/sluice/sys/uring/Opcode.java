package sluice.sys.uring;

/// The operations of io_uring (`enum io_uring_op`) that are used or reported by this project.
///
/// This class contains only constants and is thread-safe.
public final class Opcode {
  public static final int NOP = 0;
  public static final int READV = 1;
  public static final int WRITEV = 2;
  public static final int READ_FIXED = 4;
  public static final int WRITE_FIXED = 5;
  public static final int POLL_ADD = 6;
  public static final int POLL_REMOVE = 7;
  public static final int SENDMSG = 9;
  public static final int RECVMSG = 10;
  public static final int TIMEOUT = 11;
  public static final int ACCEPT = 13;
  public static final int ASYNC_CANCEL = 14;
  public static final int LINK_TIMEOUT = 15;
  public static final int CONNECT = 16;
  public static final int OPENAT = 18;
  public static final int CLOSE = 19;
  public static final int FILES_UPDATE = 20;
  public static final int STATX = 21;
  public static final int READ = 22;
  public static final int WRITE = 23;
  public static final int SEND = 26;
  public static final int RECV = 27;
  public static final int OPENAT2 = 28;
  public static final int SPLICE = 30;
  public static final int SHUTDOWN = 34;
  public static final int MSG_RING = 40;
  public static final int SOCKET = 45;
  public static final int URING_CMD = 46;
  public static final int SEND_ZC = 47;
  public static final int SENDMSG_ZC = 48;

  private Opcode() {}
}
