package sluice.sys.fabric;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.sys.call.CMemory;
import sluice.sys.call.Kernel;
import sluice.sys.call.SignalActions;

/// The C library libfabric, which is loaded when it is first used. It provides a common interface
/// to network cards that have queues in user space, and to substitutes for them (`tcp`, `shm`).
/// Instances are immutable and thread-safe.
///
/// The objects of the library have function tables that are used for most calls (see
/// [FabricEndpoint]). All calls pass the same number of words because a C function ignores
/// arguments beyond its own.
public final class Libfabric {
  /// The minimum version of the library, which is also the version whose behaviour is requested.
  static final int VERSION = 1 << 16 | 17;

  static final int FI_EAVAIL = 259;
  static final int FI_ETRUNC = 265;

  private static final String LIBRARY = System.getProperty("sluice.libfabric", "libfabric.so.1");
  private static final int WORDS = 9;
  private static final MethodHandle CALL = handle(WORDS);

  private final MemorySegment getinfo;
  private final MemorySegment freeinfo;
  private final MemorySegment dupinfo;
  private final MemorySegment fabric;
  private final MemorySegment strerror;
  private final int version;

  private Libfabric(SymbolLookup library) {
    getinfo = library.findOrThrow("fi_getinfo");
    freeinfo = library.findOrThrow("fi_freeinfo");
    dupinfo = library.findOrThrow("fi_dupinfo");
    fabric = library.findOrThrow("fi_fabric");
    strerror = library.findOrThrow("fi_strerror");
    version = (int) call(library.findOrThrow("fi_version"));
  }

  /// The library, or the reason why it is not available.
  private record Found(@Nullable Libfabric library, String why) {
    static final Found FOUND = find();

    private static Found find() {
      try (SignalActions _ = new SignalActions()) {
        // Otherwise the registration cache would replace functions of the C library.
        setEnvironment("FI_MR_CACHE_MONITOR", "disabled");
        Libfabric library = new Libfabric(SymbolLookup.libraryLookup(LIBRARY, Arena.global()));
        return library.version >>> 16 == 1 && library.version >= VERSION
            ? new Found(library, "")
            : new Found(null, "libfabric " + library.versionText() + " is older than 1.17");
      } catch (IllegalArgumentException | java.util.NoSuchElementException e) {
        return new Found(
            null,
            LIBRARY
                + " was not found. Fix: apt-get install libfabric1, or"
                + " -Dsluice.libfabric=PATH");
      }
    }

    private static void setEnvironment(String name, String value) {
      try (Arena arena = Arena.ofConfined()) {
        MethodHandle setenv = Kernel.link("setenv");
        MemorySegment key = arena.allocateFrom(name);
        MemorySegment text = arena.allocateFrom(value);
        long _ =
            (long)
                setenv.invokeExact(
                    Kernel.newErrno(arena), key.address(), text.address(), 0L, 0L, 0L, 0L, 0L, key);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }
  }

  /// Returns the library.
  ///
  /// @throws IOException if the library is missing or too old, with the reason
  static Libfabric get() throws IOException {
    Libfabric library = Found.FOUND.library();
    if (library == null) {
      throw new IOException(Found.FOUND.why());
    }
    return library;
  }

  /// Returns the reason why a provider cannot be used, with a remedy, or an empty string if it can
  /// be used.
  ///
  /// @param provider the name of the provider in libfabric, which is `tcp`, `shm`, `verbs` or `efa`
  public static String why(String provider) {
    try {
      Libfabric library = get();
      library.freeInfo(library.info(provider, 1, 1));
      return "";
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private String versionText() {
    return (version >>> 16) + "." + (version & 0xffff);
  }

  /// Returns a handle for functions whose address is passed as the first argument.
  static MethodHandle handle(int words) {
    MemoryLayout[] arguments = new MemoryLayout[words];
    Arrays.fill(arguments, JAVA_LONG);
    FunctionDescriptor signature = FunctionDescriptor.of(JAVA_LONG, arguments);
    return Linker.nativeLinker().downcallHandle(signature);
  }

  /// Invokes a function with up to nine words. Memory to which an argument refers must remain valid
  /// during the call.
  static long call(MemorySegment function, long... words) {
    long[] all = Arrays.copyOf(words, WORDS);
    try {
      return (long)
          CALL.invokeExact(
              function, all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7], all[8]);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /// Invokes a function whose result is an `int`. In all other respects, this method behaves like
  /// [#call].
  static int callInt(MemorySegment function, long... words) {
    return (int) call(function, words);
  }

  /// Returns the properties of a provider for reliable tagged messages between two endpoints.
  ///
  /// @return the address of a `struct fi_info`, which must be freed by [#freeInfo]
  /// @throws IOException if they are not supported by the provider on this machine
  long info(String provider, int sends, int receives) throws IOException {
    try (Arena arena = Arena.ofConfined();
        SignalActions _ = new SignalActions()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      MemorySegment name = arena.allocateFrom(provider);
      MemorySegment node = arena.allocateFrom("127.0.0.1");
      long hints = call(dupinfo, 0);
      long fabricName = CMemory.word(hints + FiInfo.FABRIC_ATTR) + FiFabricAttr.PROV_NAME;
      wish(hints, sends, receives);
      CMemory.word(fabricName, name.address());
      boolean internet = provider.equals("tcp");
      int result =
          callInt(
              getinfo,
              VERSION,
              internet ? node.address() : 0,
              0,
              internet ? FabricEndpoint.FI_SOURCE : 0,
              hints,
              out.address());
      CMemory.word(fabricName, 0); // libfabric must not free it
      freeInfo(hints);
      if (result < 0) {
        throw new IOException(
            "libfabric "
                + versionText()
                + " has no usable provider "
                + provider
                + " here ("
                + describe(-result)
                + "). Fix: fi_info -p "
                + provider
                + " tells what is missing");
      }
      return out.get(JAVA_LONG, 0);
    }
  }

  private static void wish(long hints, int sends, int receives) {
    CMemory.word(hints + FiInfo.CAPS, FabricEndpoint.FI_TAGGED);
    CMemory.word(hints + FiInfo.MODE, FabricEndpoint.FI_CONTEXT | FabricEndpoint.FI_CONTEXT2);
    long endpoint = CMemory.word(hints + FiInfo.EP_ATTR);
    CMemory.number(endpoint + FiEpAttr.TYPE, FabricEndpoint.FI_EP_RDM);
    long domain = CMemory.word(hints + FiInfo.DOMAIN_ATTR);
    CMemory.number(domain + FiDomainAttr.THREADING, FabricEndpoint.FI_THREAD_DOMAIN);
    CMemory.number(
        domain + FiDomainAttr.MR_MODE,
        FabricEndpoint.FI_MR_LOCAL
            | FabricEndpoint.FI_MR_VIRT_ADDR
            | FabricEndpoint.FI_MR_ALLOCATED
            | FabricEndpoint.FI_MR_PROV_KEY);
    long transmit = CMemory.word(hints + FiInfo.TX_ATTR);
    CMemory.word(transmit + FiTxAttr.MSG_ORDER, FabricEndpoint.FI_ORDER_SAS);
    CMemory.word(transmit + FiTxAttr.SIZE, sends);
    long receive = CMemory.word(hints + FiInfo.RX_ATTR);
    CMemory.word(receive + FiRxAttr.MSG_ORDER, FabricEndpoint.FI_ORDER_SAS);
    CMemory.word(receive + FiRxAttr.SIZE, receives);
  }

  void freeInfo(long info) {
    long _ = call(freeinfo, info);
  }

  /// Opens the fabric of an info.
  long openFabric(long info) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      long attributes = CMemory.word(info + FiInfo.FABRIC_ATTR);
      check(callInt(fabric, attributes, out.address(), 0), "fi_fabric");
      return out.get(JAVA_LONG, 0);
    }
  }

  /// Returns the description of an error.
  ///
  /// @param error the error, which is positive
  String describe(int error) {
    return CMemory.text(call(strerror, error));
  }

  /// Checks the result of a call and returns it.
  ///
  /// @throws IOException if the result is a negated error
  long check(long result, String what) throws IOException {
    if (result < 0) {
      throw new IOException(what + ": " + describe((int) -result) + " (" + result + ")");
    }
    return result;
  }
}
