package sluice.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import sluice.testbase.FreePort;

/// The servers of `sluice bench nfs`, and how each starts. Used by the harness's main thread.
///
/// | system | exports |
/// |---|---|
/// | `sluice/…` | an ext2 image with a journal, of its own for each case |
/// | `c-null` | nothing: `c_nfs.c` frames RPC and answers from memory |
/// | `go-nfs`, `nfs3_server` | a folder in memory, on one thread |
/// | `ganesha` | an ext4 image as ours, mounted `dirsync` in its own mount namespace (FSAL VFS) |
///
/// @param load the calls of the case
public record NfsPeers(NfsLoad load) implements Peers {
  /// The file that is read and written.
  static final String FILE = "data";

  private static final int FILE_BYTES = 64 << 20;
  private static final String IMAGE_BYTES = "256M";
  private static final String GO_NFS = "github.com/willscott/go-nfs@v0.0.4";

  /// Mounts ganesha's image. The namespace, and with it mount and loop device, ends with the
  /// server. `dirsync` makes a CREATE stable before its answer, because ganesha leaves that to the
  /// file system.
  private static final String WITH_MOUNT =
      "mount -o loop,dirsync \"$0\" \"$1\" && cp \"$2\" \"$1\" || exit 1; shift 2; ";

  /// Starts rpcbind in a network of its own, where it does not collide with another. Ganesha
  /// registers through a socket in the file system, which works across networks.
  private static final String WITH_RPCBIND =
      "unshare -n sh -c 'ip link set lo up; exec rpcbind -f' & "
          + "for i in $(seq 50); do [ -S /run/rpcbind.sock ] && break; sleep 0.1; done; "
          + "exec \"$@\"";

  @Override
  public List<String> names() {
    return load.udp()
        ? List.of("sluice/io_uring", "sluice/epoll", "c-null", "ganesha")
        : List.of("sluice/io_uring", "sluice/epoll", "c-null", "go-nfs", "nfs3_server", "ganesha");
  }

  /// Returns the systems to measure; with `quick`, only those that start fast.
  @Override
  public List<String> defaults(boolean quick) {
    return quick ? List.of("sluice/io_uring", "c-null") : names();
  }

  @Override
  public boolean knows(String system) {
    return names().contains(system) || system.equals("sluice/poll");
  }

  @Override
  public String durability(String system) {
    boolean writes = load.operation().equals("write");
    if (!writes && !load.operation().equals("metadata")) {
      return "";
    }
    if (Systems.isOurs(system)) {
      return !writes ? "in the journal on the image" : load.stable() ? "on the image" : "in memory";
    }
    return switch (system) {
      case "c-null" -> "kept nowhere";
      case "ganesha" -> writes && !load.stable() ? "in the page cache" : "on the image";
      default -> "in memory";
    };
  }

  /// Returns a folder with the file.
  public static Path folder(Path cache) throws IOException {
    Path folder = Files.createDirectories(cache.resolve("nfs"));
    Path file = folder.resolve(FILE);
    if (!Files.exists(file) || Files.size(file) != FILE_BYTES) {
      byte[] bytes = new byte[FILE_BYTES];
      new Random(1).nextBytes(bytes);
      Files.write(file, bytes);
    }
    return folder;
  }

  /// Returns a load for one server, with its export and the port of its MOUNT.
  public static NfsLoad aimed(NfsLoad load, ServerSpec spec) {
    String export = spec.environment().getOrDefault("NFS_BENCH_EXPORT", "/");
    String mount = spec.environment().getOrDefault("NFS_BENCH_MOUNT_PORT", "0");
    return load.at(export, Integer.parseInt(mount));
  }

  @Override
  public ServerSpec spec(Systems systems, String system, Path root) throws IOException {
    int port = FreePort.find();
    if (Systems.isOurs(system)) {
      return ours(systems, system, root, port);
    }
    return switch (system) {
      case "c-null" ->
          new ServerSpec(
              system,
              List.of(
                  systems.workspace().nfsPeer().toString(),
                  Integer.toString(port),
                  Integer.toString(FILE_BYTES)),
              Map.of(),
              port,
              false);
      case "go-nfs" -> goNfs(systems.workspace(), port);
      case "nfs3_server" -> rust(systems.workspace(), port);
      case "ganesha" -> ganesha(systems.workspace(), root, port);
      default -> throw new IOException("no such system: " + system);
    };
  }

  /// Returns the start of `./sluice nfs` on an image of its own.
  private static ServerSpec ours(Systems systems, String system, Path root, int port)
      throws IOException {
    List<String> more =
        List.of("--bind", "127.0.0.1", "--backend", system.substring(Systems.OURS.length()));
    return ours(systems, system, root, port, more);
  }

  /// Returns the start of `./sluice nfs` on an image of its own.
  ///
  /// @param more options: the addresses it listens on, and how
  public static ServerSpec ours(
      Systems systems, String system, Path root, int port, List<String> more) throws IOException {
    String launcher = systems.launcher().toString();
    Path image = systems.workspace().temporary("nfs-" + port + ".img");
    Commands.run(
        60,
        List.of(
            launcher, "fs", "mkfs", "--size", IMAGE_BYTES, "--block", "4096", image.toString()));
    Path file = root.resolve(FILE);
    Commands.run(
        120, List.of(launcher, "fs", "cp", image.toString(), file.toString(), ":/" + FILE));
    List<String> command = new ArrayList<>(List.of(launcher, "nfs", image.toString()));
    command.addAll(List.of("--port", Integer.toString(port)));
    command.addAll(List.of("--no-portmap", "--squash", "none", "--cache", "160M"));
    command.addAll(more);
    return systems.launched(system, command, port);
  }

  /// Returns the start of a server with go-nfs. go-nfs is a library, so this is its own example: an
  /// export of a file system in memory.
  private static ServerSpec goNfs(Workspace workspace, int port) throws IOException {
    Path program = workspace.cache().resolve("go-nfs-1");
    if (!Files.isExecutable(program)) {
      if (Commands.find("go") == null) {
        throw new IOException("go is not installed. Fix: install the Go tool chain, 1.21 or newer");
      }
      Progress.say("building go-nfs");
      Path folder = Files.createDirectories(workspace.temporary("go-nfs"));
      Files.writeString(folder.resolve("main.go"), Workspace.text("go-nfs.go"));
      String build =
          "cd \"$0\" && go mod init sluicebench/gonfs && go get "
              + GO_NFS
              + " && go mod tidy && go build -o \"$1\" .";
      Commands.run(600, List.of("sh", "-c", build, folder.toString(), program.toString()));
    }
    List<String> command =
        List.of(program.toString(), Integer.toString(port), Integer.toString(FILE_BYTES));
    Map<String, String> environment = Map.of("GOMAXPROCS", "1");
    return new ServerSpec("go-nfs", command, environment, port, false);
  }

  /// Returns the start of nfs3_server, a crate: its file system in memory, with a runtime of one
  /// thread.
  private static ServerSpec rust(Workspace workspace, int port) throws IOException {
    Path program = workspace.cache().resolve("nfs3_server-1");
    if (!Files.isExecutable(program)) {
      if (Commands.find("cargo") == null) {
        throw new IOException(
            "cargo is not installed. Fix: install the Rust tool chain, 1.85 or newer");
      }
      Progress.say("building nfs3_server");
      Path folder = Files.createDirectories(workspace.temporary("nfs3_server"));
      Files.writeString(folder.resolve("Cargo.toml"), Workspace.text("nfs3_server.toml"));
      Files.writeString(folder.resolve("main.rs"), Workspace.text("nfs3_server.rs"));
      String build =
          "cd \"$0\" && cargo build -q --release --target-dir target"
              + " && cp target/release/nfs3_server \"$1\"";
      Commands.run(600, List.of("sh", "-c", build, folder.toString(), program.toString()));
    }
    List<String> command =
        List.of(program.toString(), Integer.toString(port), Integer.toString(FILE_BYTES));
    return new ServerSpec("nfs3_server", command, Map.of(), port, false);
  }

  private static ServerSpec ganesha(Workspace workspace, Path root, int port) throws IOException {
    String why = "it is a peer of bench nfs";
    Packages.program("rpcbind", "rpcbind", "ganesha does not start without one");
    String program = Packages.program("ganesha.nfsd", "nfs-ganesha", why);
    String library = System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64";
    if (!Files.exists(Path.of("/usr/lib", library + "-linux-gnu", "ganesha/libfsalvfs.so"))) {
      Packages.install("nfs-ganesha-vfs", why);
    }
    Path work = Files.createDirectories(workspace.temporary("ganesha-" + port));
    Path image = work.resolve("image");
    Path mounted = Files.createDirectories(work.resolve("mounted"));
    String mke2fs = Packages.program("mke2fs", "e2fsprogs", "it makes ganesha's image");
    List<String> format = new ArrayList<>(List.of(mke2fs, "-q", "-F", "-t", "ext4", "-b", "4096"));
    format.addAll(List.of("-E", "lazy_itable_init=0,lazy_journal_init=0", image.toString()));
    format.add(IMAGE_BYTES);
    Commands.run(60, format);
    int mountPort = FreePort.find();
    String configuration =
        Workspace.text("ganesha.conf")
            .replace("@PORT@", Integer.toString(port))
            .replace("@MOUNT_PORT@", Integer.toString(mountPort))
            .replace("@WORK@", work.toString())
            .replace("@ROOT@", mounted.toString());
    Path file = Files.writeString(work.resolve("ganesha.conf"), configuration);
    List<String> command = new ArrayList<>(List.of("unshare", "-m", "sh", "-c"));
    command.addAll(List.of(WITH_MOUNT + WITH_RPCBIND, image.toString(), mounted.toString()));
    command.add(root.resolve(FILE).toString());
    command.addAll(List.of(program, "-F", "-f", file.toString()));
    command.addAll(List.of("-L", work.resolve("log").toString(), "-N", "NIV_EVENT"));
    command.addAll(List.of("-p", work.resolve("pid").toString()));
    Map<String, String> environment =
        Map.of(
            "NFS_BENCH_EXPORT", mounted.toString(),
            "NFS_BENCH_MOUNT_PORT", Integer.toString(mountPort));
    return new ServerSpec("ganesha", command, environment, port, false);
  }
}
