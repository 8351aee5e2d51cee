package sluice.host.disk;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileTree;
import sluice.fs.ext2.Ext2;
import sluice.fs.fuse.FuseMount;
import sluice.host.control.ControlSocket;
import sluice.host.life.Part;
import sluice.host.text.FailureMessage;
import sluice.host.text.ShellWord;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.counters.Counters;
import sluice.loop.sockets.ClassFiles;
import sluice.net.transport.StackPorts;
import sluice.nfs.NfsConfig;
import sluice.nfs.NfsExport;
import sluice.nfs.RpcLimits;
import sluice.nfs.host.HostTree;
import sluice.nfs.server.NfsServer;
import sluice.sys.threads.Uninterrupted;

/// An open disk that is mounted, exported, or both. This class is thread-safe.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | ending | the thread that ends it | volatile | volatile |
public final class Disk implements Part {
  private final DiskSettings settings;
  private final PrintWriter err;
  private @Nullable MountedImage image;
  private @Nullable HostTree host;
  private @Nullable FuseMount mount;
  private @Nullable StackPorts stack;
  private @Nullable NfsServer server;
  private volatile boolean ending;

  private Disk(DiskSettings settings, PrintWriter err) {
    this.settings = settings;
    this.err = err;
  }

  /// Opens a disk, and mounts and exports it if this is configured.
  ///
  /// @param err receives messages about a journal that was left by a crash, about delays, and about
  ///   missing guarantees
  /// @throws IOException if the disk cannot be opened, mounted or exported; the message contains
  ///   the reason and a fix
  public static Disk start(DiskSettings settings, PrintWriter err)
      throws IOException, InterruptedException {
    ClassFiles.ready(Disk.class);
    Disk disk = new Disk(settings, err);
    try {
      disk.start();
      return disk;
    } catch (IOException | InterruptedException | RuntimeException e) {
      disk.closeAfter(e);
      throw e;
    }
  }

  private void closeAfter(Exception problem) {
    try {
      close();
    } catch (IOException e) {
      problem.addSuppressed(e);
    }
  }

  private void start() throws IOException, InterruptedException {
    DiskSettings.Mount at = settings.mount();
    if (Files.isDirectory(settings.source())) {
      if (at != null) {
        throw new IOException(
            settings.source()
                + " is a directory, which cannot be mounted. Fix: name an image, or mount --bind");
      }
      host = HostTree.open(settings.source(), settings.options().readOnly());
    } else {
      if (at != null && new MountPoint(at.directory()).require()) {
        err.println("sluice: what is in " + at.directory() + " is hidden while it is mounted over");
      }
      image = MountedImage.open(settings.source(), settings.options(), err);
    }
    if (at != null && image != null) {
      mount = image.serve(at.directory(), at.options(), settings.export() == null, err);
    }
    DiskSettings.Export export = settings.export();
    if (export != null) {
      export(export);
    }
  }

  private void export(DiskSettings.Export export) throws IOException {
    NfsExport exported = new NfsExport(export.path(), tree(), export.directory(), export.options());
    NfsConfig config =
        new NfsConfig(
            export.server(), List.of(exported), limits(export), export.udp(), export.portmap());
    StackPorts opened = null;
    if (export.stack() != null) {
      opened = StackPorts.open(export.stack());
      stack = opened;
      // This must be done before the server starts threads, because they inherit the capabilities
      // of this thread.
      opened.dropPrivileges();
    }
    server =
        NfsServer.start(opened == null ? config : config.withDatagramPorts(opened.onOwnAddress()));
  }

  /// Returns the limits of the server. Replies that have not been read by clients may use at most a
  /// quarter of the cache.
  private RpcLimits limits(DiskSettings.Export export) {
    int loops = Math.max(1, export.server().loops());
    return RpcLimits.DEFAULT.withLeasedBytes(settings.options().cacheBytes() / 4 / loops);
  }

  /// Returns the file tree of the disk.
  public FileTree tree() {
    return image == null ? Objects.requireNonNull(host) : image.tree();
  }

  /// Returns the NFS server, or null if the disk is not exported.
  public @Nullable NfsServer server() {
    return server;
  }

  /// Returns the mount, or null if the disk is not mounted.
  public @Nullable FuseMount mount() {
    return mount;
  }

  /// Returns the network stack of the export, or null if the export uses the sockets of the kernel.
  public @Nullable StackPorts stack() {
    return stack;
  }

  @Override
  public String name() {
    return "disk " + settings.name();
  }

  @Override
  public String describe() {
    List<String> uses = new ArrayList<>();
    Path source = settings.source().toAbsolutePath().normalize();
    if (settings.mount() != null) {
      uses.add("mount " + source + " at " + settings.mount().directory());
    }
    if (server != null) {
      uses.add(
          "nfs "
              + source
              + " on port "
              + server.port()
              + " ("
              + server.server().engine().backend()
              + ")");
    }
    return String.join(", ", uses);
  }

  @Override
  public int loops() {
    return server == null ? 0 : server.server().loops().size();
  }

  @Override
  public Map<String, ControlSocket.Action> publishTo(Counters counters, String prefix) {
    CounterPublisher publisher = new CounterPublisher(counters, prefix);
    if (server != null) {
      server.publishTo(publisher);
    }
    if (stack != null) {
      stack.counters().publishTo(publisher, stack.name());
    }
    return Map.of();
  }

  @Override
  public List<String> stuck(Duration within) throws InterruptedException {
    return server == null ? List.of() : server.server().stuckLoops(within);
  }

  @Override
  public void drain(String why, Duration atMost, Consumer<String> told) {
    ending = true;
    try {
      if (server != null && !server.drain(atMost)) {
        told.accept("the time was over before every call was answered; clients will ask again");
      }
    } catch (IOException e) {
      told.accept("what the server keeps in the tree could not be written: " + e.getMessage());
    }
    if (mount != null) {
      unmount(mount, told);
    }
  }

  /// Unmounts the disk. A mount that is in use is detached, and is served until it is no longer in
  /// use.
  private void unmount(FuseMount mounted, Consumer<String> told) {
    Path directory = Objects.requireNonNull(settings.mount()).directory();
    try {
      if (!mounted.unmount()) {
        told.accept(
            directory
                + " is in use (fuser -vm "
                + ShellWord.of(directory)
                + " names the processes): detached, and served until its last user has let go."
                + " Interrupt again to end it now");
        mounted.detach();
      }
    } catch (IOException e) {
      told.accept(FailureMessage.text(e));
    }
  }

  /// Aborts a mount that is still in use.
  @Override
  public boolean cutOff() {
    if (mount == null) {
      return false;
    }
    try {
      mount.close();
    } catch (IOException e) {
      err.println("sluice: " + FailureMessage.text(e));
    }
    return true;
  }

  @Override
  public boolean awaitEnd() {
    if (server != null) {
      Uninterrupted.await(server.server()::awaitEnd);
      if (!ending) {
        return false;
      }
    }
    if (mount != null) {
      Uninterrupted.await(mount::awaitEnd);
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    ending = true;
    try (MountedImage _ = image;
        HostTree _ = host;
        StackPorts _ = stack;
        FuseMount _ = mount;
        NfsServer _ = server) {
      // The resources are closed in reverse order.
    }
  }

  /// Returns one line about the state of the image after it has been closed, or an empty string for
  /// a directory.
  public String leftAs() {
    if (image == null) {
      return "";
    }
    if (settings.options().readOnly()) {
      return "the image was not changed";
    }
    Ext2 tree = image.tree();
    return tree.closedCleanly()
        ? "the image is clean"
        : "the image is not clean: a change failed; Fix: e2fsck -f "
            + ShellWord.of(settings.source());
  }
}
