package sluice.sys.call;

/// The structure `struct __kernel_timespec`, which represents a duration in the format of the
/// kernel.
public final class Timespec {
  public static final Layout LAYOUT = Layout.of("struct __kernel_timespec");
  public static final int TV_SEC = LAYOUT.u64("tv_sec");
  public static final int TV_NSEC = LAYOUT.u64("tv_nsec");
  public static final int BYTES = LAYOUT.sizeBytes();

  private Timespec() {}
}
