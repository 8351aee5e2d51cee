package sluice.sys.call;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Optional;

/// The entry to the kernel, which is the C library's `syscall(2)`. The `errno` is captured before
/// the JVM can change it.
///
/// This class is thread-safe. The results are those of the kernel: the value of the call, or a
/// negated errno. The linker keeps a [MemorySegment] argument alive during the call, so that its
/// arena cannot be closed in the meantime. This does not apply to an address that is passed as a
/// `long`:
/// - [#call] accepts numbers. Addresses among them must refer to memory that is owned by this
///   module.
/// - [#callHolding] also accepts the segment to which the caller's addresses refer. It is passed as
///   an additional argument that `syscall(2)` ignores, which C permits for a variadic function. As
///   a result, a part of a segment can be passed without allocating an object for it.
///
/// All calls of this module have the same signature, because the linker generates code for each
/// signature, which adds 5 to 30 ms to the startup time. An additional function with the same
/// signature costs nothing.
///
/// No function is linked as `critical`, because a thread that blocks in a critical function would
/// prevent the garbage collector from running.
public final class Kernel {
  public static final boolean SUPPORTED = Arch.current() != Arch.OTHER;

  /// The errno of a system call that is not supported by the kernel.
  private static final int ENOSYS = 38;

  /// The signature: the result, the number of the call, six arguments, and the segment to keep
  /// alive.
  private static final FunctionDescriptor SIGNATURE =
      FunctionDescriptor.of(
          JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
          ADDRESS);

  private static final StructLayout ERRNO_LAYOUT = Linker.Option.captureStateLayout();

  /// The size of memory for `errno`.
  public static final long ERRNO_BYTES = ERRNO_LAYOUT.byteSize();

  private static final long ERRNO_OFFSET =
      ERRNO_LAYOUT.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

  /// This field is not final, so that the compiler does not inline the method handle. The linker
  /// creates a slice of the memory for `errno` on each call, which is free only if the compiler
  /// inlines it completely. If it is inlined into a deep caller, `MaxInlineLevel` may be exceeded,
  /// and each call then allocates 40 bytes. As a separate call it is compiled in the same way for
  /// each caller, at the cost of an indirect jump.
  @SuppressWarnings({"NonFinalStaticField", "FieldMayBeFinal", "ConstantField"})
  private static MethodHandle call =
      SUPPORTED
          ? link("syscall")
          : MethodHandles.empty(
              SIGNATURE.toMethodType().insertParameterTypes(0, MemorySegment.class));

  private Kernel() {}

  /// Returns a handle for a function of the C library that has the signature of `syscall(2)`. The
  /// function ignores arguments beyond its own, and `errno` is captured into the first argument.
  public static MethodHandle link(String function) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(function),
        SIGNATURE,
        Linker.Option.captureCallState("errno"));
  }

  /// Returns a handle for a function that is not provided by every C library. In all other
  /// respects, this method behaves like [#link].
  public static Optional<MethodHandle> linkIfThere(String function) {
    return Linker.nativeLinker().defaultLookup().find(function).isPresent()
        ? Optional.of(link(function))
        : Optional.empty();
  }

  /// Allocates memory for `errno`, so that the calls of a ring or poller do not have to borrow a
  /// slot. The linker keeps it alive during a call, like an argument.
  public static MemorySegment newErrno(Arena arena) {
    return arena.allocate(ERRNO_LAYOUT);
  }

  /// Invokes a system call with up to six numbers and stores `errno` in memory that is owned by the
  /// caller. During the call, this memory may be used only by the calling thread.
  public static long call(
      MemorySegment errno, SystemCall call, long a, long b, long c, long d, long e, long f) {
    return callHolding(errno, MemorySegment.NULL, call, a, b, c, d, e, f);
  }

  public static long call(SystemCall call, long a, long b, long c, long d, long e, long f) {
    int slot = ErrnoSlots.borrow();
    if (slot < 0) {
      try (Arena arena = Arena.ofConfined()) {
        return call(arena.allocate(ERRNO_LAYOUT), call, a, b, c, d, e, f);
      }
    }
    try {
      return call(ErrnoSlots.segment(slot), call, a, b, c, d, e, f);
    } finally {
      ErrnoSlots.giveBack(slot);
    }
  }

  public static long call(SystemCall call, long a, long b, long c, long d, long e) {
    return call(call, a, b, c, d, e, 0);
  }

  public static long call(SystemCall call, long a, long b, long c, long d) {
    return call(call, a, b, c, d, 0, 0);
  }

  public static long call(SystemCall call, long a, long b, long c) {
    return call(call, a, b, c, 0, 0, 0);
  }

  public static long call(SystemCall call, long a, long b) {
    return call(call, a, b, 0, 0, 0, 0);
  }

  public static long call(SystemCall call, long a) {
    return call(call, a, 0, 0, 0, 0, 0);
  }

  /// Invokes a system call with addresses that are within `held`, whose arena cannot be closed
  /// until the call returns.
  ///
  /// @param held a native segment
  public static long callHolding(
      MemorySegment held, SystemCall call, long a, long b, long c, long d, long e, long f) {
    int slot = ErrnoSlots.borrow();
    if (slot < 0) {
      try (Arena arena = Arena.ofConfined()) {
        return callHolding(arena.allocate(ERRNO_LAYOUT), held, call, a, b, c, d, e, f);
      }
    }
    try {
      return callHolding(ErrnoSlots.segment(slot), held, call, a, b, c, d, e, f);
    } finally {
      ErrnoSlots.giveBack(slot);
    }
  }

  public static long callHolding(
      MemorySegment held, SystemCall call, long a, long b, long c, long d) {
    return callHolding(held, call, a, b, c, d, 0, 0);
  }

  public static long callHolding(MemorySegment held, SystemCall call, long a, long b, long c) {
    return callHolding(held, call, a, b, c, 0, 0, 0);
  }

  public static long callHolding(
      MemorySegment errno,
      MemorySegment held,
      SystemCall call,
      long a,
      long b,
      long c,
      long d,
      long e,
      long f) {
    if (!SUPPORTED) {
      return -ENOSYS;
    }
    try {
      long result =
          (long) Kernel.call.invokeExact(errno, (long) call.number(), a, b, c, d, e, f, held);
      return result == -1 ? -errno.get(JAVA_INT, ERRNO_OFFSET) : result;
    } catch (RuntimeException | Error problem) {
      throw problem;
    } catch (Throwable problem) {
      throw new AssertionError(problem);
    }
  }

  /// Invokes a system call with an entire segment as the second argument.
  public static long callWithBuffer(
      SystemCall call, long a, MemorySegment buffer, long c, long d, long e, long f) {
    return callHolding(buffer, call, a, buffer.address(), c, d, e, f);
  }

  public static long callWithBuffer(SystemCall call, long a, MemorySegment buffer, long c, long d) {
    return callHolding(buffer, call, a, buffer.address(), c, d, 0, 0);
  }

  public static long callWithBuffer(SystemCall call, long a, MemorySegment buffer, long c) {
    return callHolding(buffer, call, a, buffer.address(), c, 0, 0, 0);
  }
}
