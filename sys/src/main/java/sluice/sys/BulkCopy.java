package sluice.sys;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Copies long runs of native memory with `memmove(3)`. Any thread may call.
///
/// The C library lets the processor copy (`rep movsb`), which does not read the lines that it is
/// going to overwrite. Where both sides together do not fit into the second cache that is a sixth
/// faster than [MemorySegment#copy]; below it there is no difference.
///
/// `memmove` enters no kernel and cannot wait, so it is linked as `critical`. A safepoint waits for
/// it, so it is not called for more than a megabyte.
///
/// Neither side may be a mapping of a file that somebody else can shrink: what `copy` of a segment
/// turns into an [InternalError] ends the process here.
public final class BulkCopy {
  /// From how many bytes on it is worth a call.
  public static final long LEAST_BYTES = 256 << 10;

  private static final long MOST_BYTES = 1 << 20;

  private static final MethodHandle MEMMOVE =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("memmove"),
              FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG),
              Linker.Option.critical(false));

  private BulkCopy() {}

  /// As [MemorySegment#copy], with the same refusals. The two may overlap.
  ///
  /// @param bytes any number: what is shorter than [#LEAST_BYTES], or too long, is copied in Java
  public static void copy(
      MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes) {
    if (bytes < LEAST_BYTES
        || bytes > MOST_BYTES
        || to.isReadOnly()
        || !from.isNative()
        || !to.isNative()) {
      MemorySegment.copy(from, fromOffset, to, toOffset, bytes);
      return;
    }
    try {
      // A call holds both segments: neither is freed before it has returned.
      long _ =
          (long)
              MEMMOVE.invokeExact(
                  to.asSlice(toOffset, bytes), from.asSlice(fromOffset, bytes), bytes);
    } catch (RuntimeException | Error refused) {
      throw refused;
    } catch (Throwable impossible) {
      throw new AssertionError(impossible);
    }
  }
}
