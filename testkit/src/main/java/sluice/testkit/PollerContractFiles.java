package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static sluice.sys.Errno.ENOSPC;
import static sluice.sys.Errno.EPERM;
import static sluice.testkit.PollerContractRig.IN;
import static sluice.testkit.PollerContractRig.MILLIS;
import static sluice.testkit.PollerContractRig.OUT;
import static sluice.testkit.PollerContractRig.SECONDS;
import static sluice.testkit.PollerContractRig.assertRefused;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.loop.poller.Poller;
import sluice.loop.poller.PollerEvents;
import sluice.sys.Files;
import sluice.sys.ResourceLimit;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.testbase.AllocatedBytes;
import sluice.testkit.PollerContractRig.Member;

/// Tests that need descriptors of the real kernel: files, sockets, duplicates, many descriptors,
/// signals.
interface PollerContractFiles {
  int MOST = 65_535;

  /// The number of descriptors that the process needs besides.
  int RESERVE = 1_000;

  PollerContractRig rig();

  @Test
  default void aRegularFileIsRefused(@TempDir Path folder) throws IOException {
    java.nio.file.Files.writeString(folder.resolve("file"), "text");
    for (Path path : List.of(folder, folder.resolve("file"))) {
      int fd = Files.openat(Files.AT_FDCWD, path.toString(), Files.O_RDONLY, 0);
      assertThat(fd).isNotNegative();
      assertRefused(EPERM, "Poller.add", () -> rig().poller.add(fd, IN));
      Files.close(fd);
    }
    assertThat(rig().poller.size()).isZero();
  }

  /// Checks refusals by behaviour and not by file type: some devices and files of `/proc` can be
  /// polled.
  @Test
  default void whatCannotBePolledIsRefusedWhateverItIs() throws IOException {
    int nothing = Files.openat(Files.AT_FDCWD, "/dev/null", Files.O_RDWR, 0);
    assertRefused(EPERM, "Poller.add", () -> rig().poller.add(nothing, IN));
    Files.close(nothing);
    int mounts = Files.openat(Files.AT_FDCWD, "/proc/self/mounts", Files.O_RDONLY, 0);
    long handle = rig().poller.add(mounts, IN);
    assertThat(rig().await()).containsExactly(handle);
    rig().poller.remove(handle);
    Files.close(mounts);
    assertThat(rig().poller.size()).isZero();
  }

  @Test
  default void aPeerThatGoesIsReported() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      for (boolean reset : new boolean[] {false, true}) {
        var address = new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
        int fd =
            Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_STREAM | Sockets.SOCK_CLOEXEC, 0);
        assertThat(Sockets.connect(fd, address)).isZero();
        Socket peer = listener.accept();
        long handle = rig().poller.add(fd, Poller.RDHUP);
        rig().assertSilent();
        peer.setSoLinger(reset, 0);
        peer.close();
        assertThat(rig().await()).containsExactly(handle);
        int expected = reset ? Poller.RDHUP | Poller.HUP | Poller.ERR : Poller.RDHUP;
        assertThat(rig().events.events(0)).isEqualTo(expected);
        rig().poller.modify(handle, 0);
        assertThat(rig().now()).hasSize(reset ? 1 : 0);
        rig().poller.disable(handle);
        rig().assertSilent();
        rig().poller.remove(handle);
        Files.close(fd);
      }
    }
  }

  /// Checks that after a remove, closing the number closes the file at once, even while a thread
  /// waits.
  @Test
  default void aRemovedSocketSendsItsFin() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    PollerEvents events = new PollerEvents(1);
    Thread waiter =
        Thread.ofPlatform()
            .start(() -> {
              while (!done.get()) {
                rig().poller.await(events, 1, -1);
              }
            });
    try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      for (int i = 0; i < 20; i++) {
        var address = new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
        int fd =
            Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_STREAM | Sockets.SOCK_CLOEXEC, 0);
        assertThat(Sockets.connect(fd, address)).isZero();
        try (Socket peer = listener.accept()) {
          peer.setSoTimeout(30_000);
          long handle = rig().poller.add(fd, IN);
          rig().poller.remove(handle);
          Files.close(fd);
          assertThat(peer.getInputStream().read()).isEqualTo(-1);
        }
      }
    }
    done.set(true);
    rig().poller.wakeup();
    waiter.join();
  }

  /// Checks that a file that lives on in a duplicate, after its number was closed without being
  /// removed, does not make every wait return.
  @Test
  default void aDuplicateDoesNotHauntTheWaits() throws IOException {
    Member member = rig().ready(IN);
    Member other = rig().member(IN);
    int duplicate = Files.duplicate(member.fd());
    assertThat(rig().await()).containsExactly(member.handle());
    member.subject().close();
    rig().poller.remove(member.handle());
    long before = rig().poller.systemCalls();
    assertThat(rig().await(8, 100 * MILLIS)).isEmpty();
    assertThat(rig().poller.systemCalls() - before).isLessThan(20);
    other.readable(true);
    assertThat(rig().await()).containsExactly(other.handle());
    Files.close(duplicate);
  }

  /// Uses 65 535 entries if the process may open so many descriptors.
  @Test
  default void asManyEntriesAsTheLimitAllowsAndOneMore() throws Exception {
    long limit = ResourceLimit.of(ResourceLimit.RLIMIT_NOFILE).soft();
    int many = (int) Math.min(MOST, mayOpen(MOST + RESERVE) - RESERVE);
    assumeTrue(many > 1_000, "needs RLIMIT_NOFILE 2000 (ulimit -n)");
    List<Integer> duplicates = new ArrayList<>();
    try (Poller poller = rig().world.open(many)) {
      var idle = rig().world.subject();
      var ready = rig().world.subject();
      ready.readable(true);
      Set<Long> all = new HashSet<>();
      Set<Long> readyHandles = new HashSet<>();
      for (int i = 0; i < many; i++) {
        int fd = Files.duplicate(i % 100 == 0 ? ready.fd() : idle.fd());
        assertThat(fd).isNotNegative();
        duplicates.add(fd);
        long handle = poller.add(fd, IN);
        all.add(handle);
        if (i % 100 == 0) {
          readyHandles.add(handle);
        }
      }
      assertThat(all).hasSize(many);
      assertRefused(ENOSPC, "Poller.add", () -> poller.add(idle.fd(), IN));
      assertThat(poller.size()).isEqualTo(many);
      PollerEvents events = new PollerEvents(many);
      assertThat(reported(poller, events, readyHandles.size())).isEqualTo(readyHandles);
      idle.readable(true);
      assertThat(reported(poller, events, many)).isEqualTo(all);
    } finally {
      duplicates.forEach(Files::close);
      ResourceLimit.soft(ResourceLimit.RLIMIT_NOFILE, limit);
    }
  }

  private static Set<Long> reported(Poller poller, PollerEvents events, int expected) {
    Set<Long> seen = new HashSet<>();
    for (int i = 0; i < 200 && seen.size() < expected; i++) {
      int count = poller.await(events, events.capacity(), SECONDS);
      for (int k = 0; k < count; k++) {
        seen.add(events.handle(k));
      }
    }
    return seen;
  }

  /// Raises the limit as far as possible, at most to `descriptors`.
  private static long mayOpen(long descriptors) throws SysException {
    try {
      return ResourceLimit.raise(ResourceLimit.RLIMIT_NOFILE, descriptors).soft();
    } catch (SysException e) {
      return ResourceLimit.of(ResourceLimit.RLIMIT_NOFILE).soft();
    }
  }

  /// Checks that a wait continues after a stop signal, which interrupts it with EINTR even without
  /// a handler.
  @Test
  default void anInterruptedWaitGoesOn() throws Exception {
    Member member = rig().member(IN);
    String self = Long.toString(ProcessHandle.current().pid());
    String script = "sleep 0.05; kill -STOP $0; sleep 0.02; kill -CONT $0";
    for (int i = 0; i < 3; i++) {
      Process stopper = new ProcessBuilder("sh", "-c", script, self).start();
      long start = System.nanoTime();
      assertThat(rig().await(8, 300 * MILLIS)).isEmpty();
      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(300 * MILLIS);
      assertThat(stopper.waitFor()).isZero();
    }
    member.readable(true);
    assertThat(rig().await()).containsExactly(member.handle());
  }

  @Test
  @Timeout(240)
  default void waitsAllocateNothing() throws Exception {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      members.add(rig().ready(i % 2 == 0 ? IN : OUT | Poller.AUTO_DISABLE));
    }
    long allocated =
        AllocatedBytes.settled(
            999,
            () -> {
              for (int i = 0; i < 1_000; i++) {
                rig().poller.await(rig().events, 8, -1);
                for (int k = 0; k < members.size(); k++) {
                  rig().poller.enable(members.get(k).handle());
                }
              }
            });
    assertThat(allocated).isLessThan(1_000); // less than a byte per wait: none of them allocates
  }
}
