package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/// A function of a shared library that handles messages:
///
/// ```c
/// int handle(const void *request, size_t length, void *reply, size_t capacity);
/// ```
///
/// This class is thread-safe. Addresses are passed as numbers, so that a call does not allocate
/// memory. The accesses of the function are not checked, so it must be trusted in the same way as
/// the JVM itself.
public final class HandlerSymbol {
  /// The signature of the function. `size_t` and pointers have 64 bits on all supported processors.
  private static final FunctionDescriptor SIGNATURE =
      FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  private final MethodHandle function;
  private final String name;

  private HandlerSymbol(MethodHandle function, String name) {
    this.function = function;
    this.name = name;
  }

  /// Loads a library, which remains loaded until the process terminates, and looks up a function in
  /// it.
  ///
  /// @throws IOException if the library or the function does not exist, with the reason and a
  ///   remedy
  public static HandlerSymbol find(Path library, String symbol) throws IOException {
    Path file = library.toAbsolutePath();
    String name = symbol + " in " + library;
    if (!Files.isRegularFile(file)) {
      throw refused(name, "there is no such file", "compile it: cc -shared -fPIC -O2 -o FILE.so");
    }
    SymbolLookup lookup;
    try {
      checkElf(file);
      lookup = SymbolLookup.libraryLookup(file, Arena.global());
    } catch (IllegalArgumentException e) {
      throw refused(
          name,
          "the file is no shared library of this machine",
          "compile it here: cc -shared -fPIC -O2 -o FILE.so");
    }
    MemorySegment address =
        lookup
            .find(symbol)
            .orElseThrow(() ->
                refused(
                    name,
                    "the library exports no such function",
                    "spell it as in the C file, without static"));
    return new HandlerSymbol(Linker.nativeLinker().downcallHandle(address, SIGNATURE), name);
  }

  /// Rejects a file that is not a shared library before the JVM loads it, because the JVM would
  /// otherwise assume that the library has disabled its stack guards.
  private static void checkElf(Path file) throws IOException {
    byte[] magic = new byte[4];
    try (InputStream in = Files.newInputStream(file)) {
      if (in.readNBytes(magic, 0, 4) < 4
          || magic[0] != 0x7f
          || magic[1] != 'E'
          || magic[2] != 'L'
          || magic[3] != 'F') {
        throw new IllegalArgumentException("no ELF file");
      }
    }
  }

  private static IOException refused(String name, String why, String fix) {
    return new IOException("no handler " + name + ". Why: " + why + ". Fix: " + fix + ".");
  }

  /// Returns the names of the function and its library.
  public String name() {
    return name;
  }

  /// Invokes the function.
  ///
  /// @param request the address of `length` bytes that are not modified during the call
  /// @param reply the address of `capacity` bytes that are not used by anything else during the
  ///   call
  /// @return the result of the function
  public int call(long request, long length, long reply, long capacity) {
    try {
      return (int) function.invokeExact(request, length, reply, capacity);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
