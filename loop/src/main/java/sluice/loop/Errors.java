package sluice.loop;

/// The errno values an engine's completions can carry that the loop acts on. The same numbers on
/// every Linux architecture, and the portable engine uses them too.
final class Errors {
  static final int EINTR = 4;
  static final int EIO = 5;
  static final int EAGAIN = 11;
  static final int EINVAL = 22;
  static final int ENFILE = 23;
  static final int EMFILE = 24;
  static final int EPIPE = 32;
  static final int ETIME = 62;
  static final int EBUSY = 16;
  static final int EOPNOTSUPP = 95;
  static final int ECONNABORTED = 103;
  static final int ECONNRESET = 104;
  static final int ENOBUFS = 105;
  static final int ETIMEDOUT = 110;
  static final int ECONNREFUSED = 111;
  static final int ECANCELED = 125;

  private Errors() {}
}
