package sluice.sys;

/// The error numbers of Linux, which are the same on x86-64 and aarch64 (`asm-generic/errno.h`).
///
/// This class is immutable and thread-safe. Calls on hot paths return these numbers negated, and
/// calls on control paths throw a [SysException] that contains the number.
public final class Errno {
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int ESRCH = 3;
  public static final int EINTR = 4;
  public static final int EIO = 5;
  public static final int ENXIO = 6;
  public static final int E2BIG = 7;
  public static final int EBADF = 9;
  public static final int EAGAIN = 11;
  public static final int ENOMEM = 12;
  public static final int EACCES = 13;
  public static final int EFAULT = 14;
  public static final int EBUSY = 16;
  public static final int EEXIST = 17;
  public static final int EXDEV = 18;
  public static final int ENODEV = 19;
  public static final int ENOTDIR = 20;
  public static final int EISDIR = 21;
  public static final int EINVAL = 22;
  public static final int ENFILE = 23;
  public static final int EMFILE = 24;
  public static final int EFBIG = 27;
  public static final int ENOSPC = 28;
  public static final int ESPIPE = 29;
  public static final int EROFS = 30;
  public static final int EMLINK = 31;
  public static final int EPIPE = 32;
  public static final int ERANGE = 34;
  public static final int ENAMETOOLONG = 36;
  public static final int ENOSYS = 38;
  public static final int ENOTEMPTY = 39;
  public static final int ELOOP = 40;
  public static final int ENODATA = 61;
  public static final int ETIME = 62;
  public static final int EPROTO = 71;
  public static final int EOVERFLOW = 75;
  public static final int ENOTSOCK = 88;
  public static final int EDESTADDRREQ = 89;
  public static final int EMSGSIZE = 90;
  public static final int ENOPROTOOPT = 92;
  public static final int EPROTONOSUPPORT = 93;
  public static final int EOPNOTSUPP = 95;
  public static final int EAFNOSUPPORT = 97;
  public static final int EADDRINUSE = 98;
  public static final int EADDRNOTAVAIL = 99;
  public static final int ENETDOWN = 100;
  public static final int ENETUNREACH = 101;
  public static final int ECONNABORTED = 103;
  public static final int ECONNRESET = 104;
  public static final int ENOBUFS = 105;
  public static final int EISCONN = 106;
  public static final int ENOTCONN = 107;
  public static final int ETIMEDOUT = 110;
  public static final int ECONNREFUSED = 111;
  public static final int EHOSTUNREACH = 113;
  public static final int EALREADY = 114;
  public static final int EINPROGRESS = 115;
  public static final int ESTALE = 116;
  public static final int EUCLEAN = 117;
  public static final int EDQUOT = 122;
  public static final int ECANCELED = 125;

  /// The names and descriptions of the numbers. Numbers that Linux does not use have empty entries.
  private static final String[] TABLE = {
    "OK Success",
    "EPERM Operation not permitted",
    "ENOENT No such file or directory",
    "ESRCH No such process",
    "EINTR Interrupted system call",
    "EIO Input/output error",
    "ENXIO No such device or address",
    "E2BIG Argument list too long",
    "ENOEXEC Exec format error",
    "EBADF Bad file descriptor",
    "ECHILD No child processes",
    "EAGAIN Resource temporarily unavailable",
    "ENOMEM Cannot allocate memory",
    "EACCES Permission denied",
    "EFAULT Bad address",
    "ENOTBLK Block device required",
    "EBUSY Device or resource busy",
    "EEXIST File exists",
    "EXDEV Invalid cross-device link",
    "ENODEV No such device",
    "ENOTDIR Not a directory",
    "EISDIR Is a directory",
    "EINVAL Invalid argument",
    "ENFILE Too many open files in system",
    "EMFILE Too many open files",
    "ENOTTY Inappropriate ioctl for device",
    "ETXTBSY Text file busy",
    "EFBIG File too large",
    "ENOSPC No space left on device",
    "ESPIPE Illegal seek",
    "EROFS Read-only file system",
    "EMLINK Too many links",
    "EPIPE Broken pipe",
    "EDOM Numerical argument out of domain",
    "ERANGE Numerical result out of range",
    "EDEADLK Resource deadlock avoided",
    "ENAMETOOLONG File name too long",
    "ENOLCK No locks available",
    "ENOSYS Function not implemented",
    "ENOTEMPTY Directory not empty",
    "ELOOP Too many levels of symbolic links",
    "",
    "ENOMSG No message of desired type",
    "EIDRM Identifier removed",
    "ECHRNG Channel number out of range",
    "EL2NSYNC Level 2 not synchronized",
    "EL3HLT Level 3 halted",
    "EL3RST Level 3 reset",
    "ELNRNG Link number out of range",
    "EUNATCH Protocol driver not attached",
    "ENOCSI No CSI structure available",
    "EL2HLT Level 2 halted",
    "EBADE Invalid exchange",
    "EBADR Invalid request descriptor",
    "EXFULL Exchange full",
    "ENOANO No anode",
    "EBADRQC Invalid request code",
    "EBADSLT Invalid slot",
    "",
    "EBFONT Bad font file format",
    "ENOSTR Device not a stream",
    "ENODATA No data available",
    "ETIME Timer expired",
    "ENOSR Out of streams resources",
    "ENONET Machine is not on the network",
    "ENOPKG Package not installed",
    "EREMOTE Object is remote",
    "ENOLINK Link has been severed",
    "EADV Advertise error",
    "ESRMNT Srmount error",
    "ECOMM Communication error on send",
    "EPROTO Protocol error",
    "EMULTIHOP Multihop attempted",
    "EDOTDOT RFS specific error",
    "EBADMSG Bad message",
    "EOVERFLOW Value too large for defined data type",
    "ENOTUNIQ Name not unique on network",
    "EBADFD File descriptor in bad state",
    "EREMCHG Remote address changed",
    "ELIBACC Can not access a needed shared library",
    "ELIBBAD Accessing a corrupted shared library",
    "ELIBSCN .lib section in a.out corrupted",
    "ELIBMAX Attempting to link in too many shared libraries",
    "ELIBEXEC Cannot exec a shared library directly",
    "EILSEQ Invalid or incomplete multibyte or wide character",
    "ERESTART Interrupted system call should be restarted",
    "ESTRPIPE Streams pipe error",
    "EUSERS Too many users",
    "ENOTSOCK Socket operation on non-socket",
    "EDESTADDRREQ Destination address required",
    "EMSGSIZE Message too long",
    "EPROTOTYPE Protocol wrong type for socket",
    "ENOPROTOOPT Protocol not available",
    "EPROTONOSUPPORT Protocol not supported",
    "ESOCKTNOSUPPORT Socket type not supported",
    "EOPNOTSUPP Operation not supported",
    "EPFNOSUPPORT Protocol family not supported",
    "EAFNOSUPPORT Address family not supported by protocol",
    "EADDRINUSE Address already in use",
    "EADDRNOTAVAIL Cannot assign requested address",
    "ENETDOWN Network is down",
    "ENETUNREACH Network is unreachable",
    "ENETRESET Network dropped connection on reset",
    "ECONNABORTED Software caused connection abort",
    "ECONNRESET Connection reset by peer",
    "ENOBUFS No buffer space available",
    "EISCONN Transport endpoint is already connected",
    "ENOTCONN Transport endpoint is not connected",
    "ESHUTDOWN Cannot send after transport endpoint shutdown",
    "ETOOMANYREFS Too many references: cannot splice",
    "ETIMEDOUT Connection timed out",
    "ECONNREFUSED Connection refused",
    "EHOSTDOWN Host is down",
    "EHOSTUNREACH No route to host",
    "EALREADY Operation already in progress",
    "EINPROGRESS Operation now in progress",
    "ESTALE Stale file handle",
    "EUCLEAN Structure needs cleaning",
    "ENOTNAM Not a XENIX named type file",
    "ENAVAIL No XENIX semaphores available",
    "EISNAM Is a named type file",
    "EREMOTEIO Remote I/O error",
    "EDQUOT Disk quota exceeded",
    "ENOMEDIUM No medium found",
    "EMEDIUMTYPE Wrong medium type",
    "ECANCELED Operation canceled",
    "ENOKEY Required key not available",
    "EKEYEXPIRED Key has expired",
    "EKEYREVOKED Key has been revoked",
    "EKEYREJECTED Key was rejected by service",
    "EOWNERDEAD Owner died",
    "ENOTRECOVERABLE State not recoverable",
    "ERFKILL Operation not possible due to RF-kill",
    "EHWPOISON Memory page has hardware error",
  };

  private Errno() {}

  /// Returns the symbolic name of an error number, such as `EAGAIN`.
  ///
  /// @param errno the number, positive or negated; for an unknown number, the name is `E` followed
  ///   by the number
  public static String name(int errno) {
    String entry = entry(errno);
    return entry.isEmpty() ? "E" + Math.abs(errno) : entry.substring(0, entry.indexOf(' '));
  }

  /// Returns the description of the C library, such as `Resource temporarily unavailable`.
  ///
  /// @param errno the number, positive or negated
  public static String describe(int errno) {
    String entry = entry(errno);
    return entry.isEmpty() ? "Unknown error" : entry.substring(entry.indexOf(' ') + 1);
  }

  private static String entry(int errno) {
    int number = Math.abs(errno);
    return number >= 0 && number < TABLE.length ? TABLE[number] : "";
  }
}
