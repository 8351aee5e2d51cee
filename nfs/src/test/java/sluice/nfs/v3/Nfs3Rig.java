package sluice.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import sluice.fs.FileTree;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.Ext2Check;
import sluice.fs.ext2.MountOptions;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.nfs.CrashDevice;
import sluice.nfs.ExportOptions;
import sluice.nfs.Squash;
import sluice.nfs.export.Exports;
import sluice.nfs.export.FileHandles;

/// An NFSv3 server over an image in memory, without a network. The image must be consistent at the
/// end. Confined to the test's thread; [#client] creates clients for other threads.
public final class Nfs3Rig implements AutoCloseable {
  private static final AtomicLong VERIFIERS = new AtomicLong(1);

  /// The next range of xids. Two clients with the same xids would be taken for one.
  private static final AtomicInteger XIDS = new AtomicInteger(1);

  private static final int DEVICE_BYTES = 24 << 20;

  public final CrashDevice device;
  public final Ext2 tree;
  public final Exports exports;
  final FileHandles handles;
  public final Nfs3Program nfs;
  public final MountProgram mounts;

  /// A client of root, without squashing, with the handle of `/data`.
  public final Nfs3Client root;

  public final byte[] top;
  private boolean whole = true;
  private final List<Nfs3Client> clients = new ArrayList<>();

  private Nfs3Rig(CrashDevice device, MountOptions options, ExportOptions export)
      throws IOException {
    this(device, options, export, seen -> seen);
  }

  private Nfs3Rig(
      CrashDevice device, MountOptions options, ExportOptions export, UnaryOperator<FileTree> seen)
      throws IOException {
    this.device = device;
    tree = Ext2.mount(device, options);
    exports = new Exports();
    exports.add("/data", seen.apply(tree), "/", export);
    handles = new FileHandles(exports);
    nfs = new Nfs3Program(exports, handles, VERIFIERS.getAndIncrement());
    mounts = new MountProgram(exports, handles);
    root = client();
    top = root.mount("/data");
  }

  private static MountOptions options() {
    return MountOptions.defaults().withCacheBytes(8 << 20);
  }

  private static ExportOptions believed() {
    return ExportOptions.defaults().withSquash(Squash.NONE);
  }

  /// Creates a formatted device.
  ///
  /// @param journaled true to create a journal
  public static CrashDevice format(boolean journaled) throws IOException {
    CrashDevice device = new CrashDevice(DEVICE_BYTES);
    FormatOptions format = FormatOptions.forDevice(DEVICE_BYTES).withBytesPerInode(1024);
    Ext2Format.format(device, journaled ? format : format.withJournalBlocks(0), _ -> {});
    return device;
  }

  public static Nfs3Rig journaled() throws IOException {
    return over(format(true));
  }

  static Nfs3Rig plain() throws IOException {
    return over(format(false));
  }

  static Nfs3Rig with(ExportOptions export) throws IOException {
    return new Nfs3Rig(format(true), options(), export);
  }

  /// Creates a server with a wrapper around its tree.
  public static Nfs3Rig through(UnaryOperator<FileTree> seen) throws IOException {
    return new Nfs3Rig(format(true), options(), believed(), seen);
  }

  /// Creates a server on the device of an earlier one.
  public static Nfs3Rig over(CrashDevice device) throws IOException {
    return new Nfs3Rig(device, options(), believed());
  }

  /// Creates a server on the device of an earlier one, with a wrapper around its tree.
  public static Nfs3Rig over(CrashDevice device, UnaryOperator<FileTree> seen) throws IOException {
    return new Nfs3Rig(device, options(), believed(), seen);
  }

  public static Nfs3Rig readOnly(CrashDevice device) throws IOException {
    return new Nfs3Rig(device, options().withReadOnly(true), believed());
  }

  /// Allows an inconsistent image, because a server without a journal was killed.
  Nfs3Rig unchecked() {
    whole = false;
    return this;
  }

  /// Creates a client for use by one thread.
  public Nfs3Client client() {
    Nfs3Client made = new Nfs3Client(nfs, mounts);
    made.calls.xid(XIDS.getAndIncrement() << 20);
    synchronized (clients) {
      clients.add(made);
    }
    return made;
  }

  /// Ends the server and starts another on the same image.
  public Nfs3Rig restart() throws IOException {
    exports.close();
    tree.close();
    return over(device);
  }

  @Override
  public void close() throws IOException {
    clients.forEach(Nfs3Client::close);
    exports.close();
    tree.close();
    if (whole) {
      List<String> problems = new ArrayList<>();
      Ext2Check.check(device, problems::add, _ -> {});
      assertThat(problems).as("what fsck says").isEmpty();
    }
    device.close();
  }
}
