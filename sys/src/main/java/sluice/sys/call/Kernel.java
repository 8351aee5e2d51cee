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

/// The way into the kernel: the C library's `syscall(2)`, with `errno` captured before the JVM can
/// touch it.
///
/// Any thread may call. Results are those of the kernel: what the call returns, or a negated errno.
/// The linker holds a [MemorySegment] argument open for the length of the call (its arena cannot be
/// closed under the kernel's hands), while an address in a `long` is not held:
/// - [#call] takes numbers. An address among them belongs to memory this module owns.
/// - [#callHolding] takes in addition the segment the caller's addresses point into. It travels as
///   one argument more than `syscall(2)` looks at, which C allows for a variadic function; so a
///   part of a segment can be named without making an object for it.
///
/// All calls of this module have one signature, because the linker writes code for each one it
/// meets, 5 to 30 ms of a start; another function with a signature it knows costs nothing.
///
/// None is linked as `critical`: a thread that blocks in one would stop the garbage collector.
public final class Kernel {
  public static final boolean SUPPORTED = Arch.current() != Arch.OTHER;

  /// What the kernel answers to a call that it does not have.
  private static final int ENOSYS = 38;

  /// Result, number of the call, six arguments, what is held.
  private static final FunctionDescriptor SIGNATURE =
      FunctionDescriptor.of(
          JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
          ADDRESS);

  private static final StructLayout ERRNO_LAYOUT = Linker.Option.captureStateLayout();

  /// Of a place for `errno`.
  public static final long ERRNO_BYTES = ERRNO_LAYOUT.byteSize();

  private static final long ERRNO_OFFSET =
      ERRNO_LAYOUT.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

  /// Not final, so that the compiler does not inline it. The linker makes a slice of the memory for
  /// `errno` at each call, which costs nothing where the compiler sees all of it; inlined into a
  /// deep caller it may not (`MaxInlineLevel`), and each call leaves 40 bytes. Apart, it is
  /// compiled the same way for each caller, at the price of an indirect jump.
  @SuppressWarnings({"NonFinalStaticField", "FieldMayBeFinal", "ConstantField"})
  private static MethodHandle call =
      SUPPORTED
          ? link("syscall")
          : MethodHandles.empty(
              SIGNATURE.toMethodType().insertParameterTypes(0, MemorySegment.class));

  private Kernel() {}

  /// A function of the C library as if it had the signature of `syscall(2)`: arguments beyond its
  /// own are not looked at. `errno` is captured into the first argument.
  public static MethodHandle link(String function) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(function),
        SIGNATURE,
        Linker.Option.captureCallState("errno"));
  }

  /// As [#link], of a function that not every C library has.
  public static Optional<MethodHandle> linkIfThere(String function) {
    return Linker.nativeLinker().defaultLookup().find(function).isPresent()
        ? Optional.of(link(function))
        : Optional.empty();
  }

  /// A place for `errno` owned by one ring or poller, so that its calls need not borrow one. The
  /// linker holds it open for the length of a call, as it does an argument.
  public static MemorySegment newErrno(Arena arena) {
    return arena.allocate(ERRNO_LAYOUT);
  }

  /// Calls with up to six numbers, leaving `errno` in memory the caller owns. Only the caller's
  /// thread may use `errno` then.
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

  /// Calls with addresses inside `held`, whose arena stays open until the call returns.
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

  /// Calls with a whole segment as second argument.
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
