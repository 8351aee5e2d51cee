package sluice.sys.fabric;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.call.CMemory;
import sluice.sys.call.Ranges;
import sluice.sys.call.SignalActions;

/// A libfabric endpoint for reliable tagged messages (`FI_EP_RDM`). It has one completion queue,
/// one peer, and its own domain. It may be used by only one thread at a time. The caller holds a
/// lock for this purpose, so that libfabric does not need one (`FI_THREAD_DOMAIN`).
///
/// Each operation has a slot, which is a number that is returned with its completion. The slot also
/// identifies the memory that some providers require for an operation (`FI_CONTEXT`). The memory of
/// a send or receive must remain valid until the completion has been polled or [#release] has
/// returned true.
///
/// Lifecycle: opened → connected to its peer → used → closed, after which all calls throw
/// exceptions.
public final class FabricEndpoint implements AutoCloseable {
  static final long FI_TAGGED = 1L << 3;
  static final long FI_RECV = 1L << 10;
  static final long FI_SEND = 1L << 11;
  static final long FI_SOURCE = 1L << 57;
  static final long FI_CONTEXT = 1L << 59;
  static final long FI_CONTEXT2 = 1L << 52;
  static final long FI_ORDER_SAS = 1L << 8;
  static final int FI_MR_LOCAL = 1 << 2;
  static final int FI_MR_VIRT_ADDR = 1 << 4;
  static final int FI_MR_ALLOCATED = 1 << 5;
  static final int FI_MR_PROV_KEY = 1 << 6;
  static final long FI_ADDR_UNSPEC = -1;
  static final int FI_EP_RDM = 3;
  static final int FI_THREAD_DOMAIN = 3;
  static final int FI_AV_TABLE = 2;
  static final int FI_CQ_FORMAT_MSG = 2;
  static final int FI_ENABLE = 6;

  /// The maximum supported length of an endpoint address.
  public static final int MAX_ADDRESS_BYTES = 64;

  /// The maximum number of completions that are returned by one [#poll].
  private static final int BATCH = 16;

  /// The size of a slot, which is the size of `struct fi_context2`.
  private static final long SLOT_BYTES = 64;

  private static final MethodHandle POLL = Libfabric.handle(3);
  private static final MethodHandle TRANSFER = Libfabric.handle(8);

  private final Libfabric library;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment scratch = arena.allocate(256, Long.BYTES);
  private final MemorySegment entries = arena.allocate(BATCH * entryBytes(), Long.BYTES);
  private final MemorySegment error = arena.allocate(FiCqErrEntry.LAYOUT.sizeBytes(), Long.BYTES);
  private final MemorySegment slots;
  private final long entriesAddress = entries.address();
  private final long slotsAddress;
  private final Set<Long> registrations = new HashSet<>();
  private long info;
  private long fabric;
  private long domain;
  private long queue;
  private long addresses;
  private long endpoint;
  private long peer;
  private long nextKey = 1;
  private MemorySegment send = MemorySegment.NULL;
  private MemorySegment receive = MemorySegment.NULL;
  private MemorySegment read = MemorySegment.NULL;
  private boolean failedEntry;
  private boolean closed;

  private FabricEndpoint(Libfabric library, int slotCount) {
    this.library = library;
    slots = arena.allocate(slotCount * SLOT_BYTES, SLOT_BYTES);
    slotsAddress = slots.address();
  }

  private static long entryBytes() {
    return FiCqMsgEntry.LAYOUT.sizeBytes();
  }

  /// Opens an endpoint of a provider.
  ///
  /// @param provider the name of the provider in libfabric
  /// @param sends the maximum number of concurrent sends
  /// @param receives the maximum number of concurrent receives
  /// @throws IOException if the endpoint is not supported by the library or the provider, with the
  ///   reason
  public static FabricEndpoint open(String provider, int sends, int receives) throws IOException {
    FabricEndpoint opened = new FabricEndpoint(Libfabric.get(), sends + receives);
    try (SignalActions _ = new SignalActions()) {
      opened.start(provider, sends, receives);
      return opened;
    } catch (IOException e) {
      boolean _ = opened.release();
      throw e;
    }
  }

  private void start(String provider, int sends, int receives) throws IOException {
    info = library.info(provider, sends, receives);
    fabric = library.openFabric(info);
    domain = make(fabric, FidFabric.OPS, FiOpsFabric.DOMAIN, info, "fi_domain");
    scratch.fill((byte) 0);
    scratch.set(JAVA_LONG, FiCqAttr.SIZE, sends + receives);
    scratch.set(JAVA_INT, FiCqAttr.FORMAT, FI_CQ_FORMAT_MSG);
    queue = make(domain, FidDomain.OPS, FiOpsDomain.CQ_OPEN, scratch.address(), "fi_cq_open");
    scratch.fill((byte) 0);
    scratch.set(JAVA_INT, FiAvAttr.TYPE, FI_AV_TABLE);
    scratch.set(JAVA_LONG, FiAvAttr.COUNT, 1);
    addresses = make(domain, FidDomain.OPS, FiOpsDomain.AV_OPEN, scratch.address(), "fi_av_open");
    endpoint = make(domain, FidDomain.OPS, FiOpsDomain.ENDPOINT, info, "fi_endpoint");
    MemorySegment bind = CMemory.function(endpoint, Fid.OPS, FiOps.BIND);
    library.check(Libfabric.callInt(bind, endpoint, addresses, 0), "fi_ep_bind");
    library.check(Libfabric.callInt(bind, endpoint, queue, FI_SEND | FI_RECV), "fi_ep_bind");
    MemorySegment control = CMemory.function(endpoint, Fid.OPS, FiOps.CONTROL);
    library.check(Libfabric.callInt(control, endpoint, FI_ENABLE, 0), "fi_enable");
    send = CMemory.function(endpoint, FidEp.TAGGED, FiOpsTagged.SEND);
    receive = CMemory.function(endpoint, FidEp.TAGGED, FiOpsTagged.RECV);
    read = CMemory.function(queue, FidCq.OPS, FiOpsCq.READ);
  }

  /// Invokes a function that creates an object: `(parent, attributes, &object, NULL)`.
  private long make(long parent, int table, int function, long attributes, String what)
      throws IOException {
    MemorySegment out = scratch.asSlice(scratch.byteSize() - Long.BYTES);
    out.set(JAVA_LONG, 0, 0);
    MemorySegment call = CMemory.function(parent, table, function);
    library.check(Libfabric.callInt(call, parent, attributes, out.address(), 0), what);
    return out.get(JAVA_LONG, 0);
  }

  /// Returns the address of this endpoint for use by a peer. The format of the bytes depends on the
  /// provider.
  public byte[] address() throws IOException {
    checkOpen();
    MemorySegment length = scratch.asSlice(scratch.byteSize() - Long.BYTES);
    length.set(JAVA_LONG, 0, MAX_ADDRESS_BYTES);
    MemorySegment getname = CMemory.function(endpoint, FidEp.CM, FiOpsCm.GETNAME);
    long result = Libfabric.callInt(getname, endpoint, scratch.address(), length.address());
    library.check(result, "fi_getname");
    return scratch
        .asSlice(0, length.get(JAVA_LONG, 0))
        .toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
  }

  /// Sets the peer.
  ///
  /// @param address the result of [#address] on the peer
  public void peer(byte[] address) throws IOException {
    checkOpen();
    Objects.checkIndex(address.length, MAX_ADDRESS_BYTES + 1);
    scratch.fill((byte) 0);
    MemorySegment.copy(MemorySegment.ofArray(address), 0, scratch, 0, address.length);
    MemorySegment out = scratch.asSlice(scratch.byteSize() - Long.BYTES);
    MemorySegment insert = CMemory.function(addresses, FidAv.OPS, FiOpsAv.INSERT);
    int count = Libfabric.callInt(insert, addresses, scratch.address(), 1, out.address(), 0, 0);
    library.check(count, "fi_av_insert");
    if (count != 1) {
      throw new IOException("fi_av_insert: the provider does not know this form of address");
    }
    peer = out.get(JAVA_LONG, 0);
  }

  /// Registers memory, which must remain valid until [#unregister] or [#close] is called.
  ///
  /// @param writable true if messages are received into the memory
  /// @return a key for use with [#send] and [#receive]
  public long register(MemorySegment memory, boolean writable) throws IOException {
    checkOpen();
    long address = Ranges.readable(memory, 0, memory.byteSize());
    long access = writable ? FI_SEND | FI_RECV : FI_SEND;
    MemorySegment out = scratch.asSlice(scratch.byteSize() - Long.BYTES);
    MemorySegment reg = CMemory.function(domain, FidDomain.MR, FiOpsMr.REG);
    long requestedKey = nextKey++;
    int result =
        Libfabric.callInt(
            reg, domain, address, memory.byteSize(), access, 0, requestedKey, 0, out.address(), 0);
    library.check(result, "fi_mr_reg of " + memory.byteSize() + " bytes");
    long region = out.get(JAVA_LONG, 0);
    registrations.add(region);
    return region;
  }

  /// Unregisters memory. Has no effect after [#close].
  public void unregister(long key) {
    if (!closed && registrations.remove(key)) {
      int _ = end(key);
    }
  }

  /// Sends a message.
  ///
  /// @param key the registration that contains the range
  /// @param tag selects the matching receive of the peer
  /// @param slot a number that is returned with the completion and must not be in use
  /// @return 0, or a negative error, which is `-EAGAIN` if there is currently no room
  public int send(MemorySegment from, long offset, int length, long key, long tag, int slot) {
    checkOpen();
    long address = Ranges.readable(from, offset, length);
    try {
      return (int)
          (long)
              TRANSFER.invokeExact(
                  send,
                  endpoint,
                  address,
                  (long) length,
                  descriptor(key),
                  peer,
                  tag,
                  slot(slot),
                  0L);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /// Posts a receive for a message of the peer that has the given tag. In all other respects, this
  /// method behaves like [#send].
  public int receive(MemorySegment to, long offset, int length, long key, long tag, int slot) {
    checkOpen();
    long address = Ranges.writable(to, offset, length);
    try {
      return (int)
          (long)
              TRANSFER.invokeExact(
                  receive,
                  endpoint,
                  address,
                  (long) length,
                  descriptor(key),
                  FI_ADDR_UNSPEC,
                  tag,
                  0L,
                  slot(slot));
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /// Requests that the provider cancels a receive. The receive completes as failed unless it has
  /// already completed.
  public void cancel(int slot) {
    checkOpen();
    MemorySegment cancel = CMemory.function(endpoint, FidEp.OPS, FiOpsEp.CANCEL);
    long _ = Libfabric.call(cancel, endpoint, slot(slot));
  }

  private static long descriptor(long region) {
    return region == 0 ? 0 : CMemory.word(region + FidMr.MEM_DESC);
  }

  private long slot(int index) {
    int count = (int) (slots.byteSize() / SLOT_BYTES);
    return slotsAddress + Objects.checkIndex(index, count) * SLOT_BYTES;
  }

  /// Lets the provider make progress, and polls for completions. They can be accessed by index
  /// until the next call.
  ///
  /// @return the number of completions, or a negative error if the queue is broken
  public int poll() {
    checkOpen();
    failedEntry = false;
    long count;
    try {
      count = (long) POLL.invokeExact(read, queue, entriesAddress, (long) BATCH);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
    if (count == -Errno.EAGAIN) {
      return 0;
    }
    return count == -Libfabric.FI_EAVAIL ? readError() : (int) count;
  }

  private int readError() {
    MemorySegment readerr = CMemory.function(queue, FidCq.OPS, FiOpsCq.READERR);
    error.fill((byte) 0);
    long count = Libfabric.call(readerr, queue, error.address(), 0);
    failedEntry = count == 1;
    return count == -Errno.EAGAIN ? 0 : (int) count;
  }

  /// Returns the slot of a completed operation, or -1 if it is not reported by the provider.
  public int slotOf(int index) {
    long context =
        failedEntry
            ? error.get(JAVA_LONG, FiCqErrEntry.OP_CONTEXT)
            : entries.get(JAVA_LONG, index * entryBytes() + FiCqMsgEntry.OP_CONTEXT);
    long slot = context - slotsAddress;
    return slot < 0 || slot >= slots.byteSize() ? -1 : (int) (slot / SLOT_BYTES);
  }

  /// Returns the length of a received message.
  public long lengthOf(int index) {
    return failedEntry
        ? error.get(JAVA_LONG, FiCqErrEntry.LEN)
        : entries.get(JAVA_LONG, index * entryBytes() + FiCqMsgEntry.LEN);
  }

  /// Returns the failure of an operation, or null if the operation succeeded.
  public @Nullable String failureOf(int index) {
    if (!failedEntry || index != 0) {
      return null;
    }
    int number = error.get(JAVA_INT, FiCqErrEntry.ERR);
    return library.describe(Math.abs(number)) + " (" + number + ")";
  }

  /// Returns true if [#failureOf] means that a message was longer than the matching receive.
  public boolean isTruncated(int index) {
    return failedEntry
        && index == 0
        && Math.abs(error.get(JAVA_INT, FiCqErrEntry.ERR)) == Libfabric.FI_ETRUNC; // shm: negative
  }

  /// Returns the meaning of an error that was returned by [#send], [#receive] or [#poll].
  ///
  /// @param error the error, which is negative
  public String describe(int error) {
    return library.describe(-error);
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the endpoint is closed");
    }
  }

  private static int end(long object) {
    return Libfabric.callInt(CMemory.function(object, Fid.OPS, FiOps.CLOSE), object);
  }

  /// Terminates all operations. No further operation completes, and the memory of the operations
  /// belongs to the caller again. This method is idempotent.
  @Override
  public void close() {
    boolean _ = release();
  }

  /// Closes the endpoint like [#close].
  ///
  /// @return true if the provider has released the memory; otherwise the memory must never be freed
  public boolean release() {
    if (closed) {
      return endpoint == 0;
    }
    closed = true;
    if (endpoint != 0 && end(endpoint) < 0) {
      return false;
    }
    endpoint = 0;
    for (long region : registrations) {
      int _ = end(region);
    }
    for (long object : new long[] {queue, addresses, domain, fabric}) {
      if (object != 0) {
        int _ = end(object);
      }
    }
    if (info != 0) {
      library.freeInfo(info);
    }
    arena.close();
    return true;
  }
}
