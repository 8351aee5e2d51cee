package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static sluice.sys.Errno.EAGAIN;
import static sluice.sys.Errno.EBADF;
import static sluice.sys.Errno.ECANCELED;
import static sluice.sys.Errno.EOPNOTSUPP;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.loop.engine.ListenOptions;
import sluice.sys.EventFd;
import sluice.testkit.EngineContractRig.Event;

/// Tests of operations that need raw descriptors: readiness of any file, `sendFile` and adopted
/// listeners. An engine without descriptors must refuse them.
interface EngineContractPoll {
  int POLLIN = 1;
  int POLLOUT = 4;

  EngineContractRig rig();

  boolean rawDescriptors();

  private boolean refusesPolling() throws IOException {
    if (rawDescriptors()) {
      return false;
    }
    assertThat(rig().engine().pollOnce(0, POLLIN, rig().token())).isEqualTo(-EOPNOTSUPP);
    return true;
  }

  private long poll(int fd, int events) throws IOException {
    long token = rig().token();
    assertThat(rig().engine().pollOnce(fd, events, token)).isZero();
    rig().turn(0);
    return token;
  }

  @Test
  default void pollCompletesOnceWhenTheDescriptorIsReady() throws IOException {
    if (refusesPolling()) {
      return;
    }
    EventFd counter = rig().keep(EventFd.open(true));
    long token = poll(counter.fd(), POLLIN);
    rig().assertSilent(token);
    var signal = rig().peers.later(10 * EngineContractRig.MILLIS, counter::signal);
    Event event = rig().await(token);
    signal.join();
    assertThat(event.result() & POLLIN).isEqualTo(POLLIN);
    assertThat(event.more()).isFalse();
    rig().assertSilent(token);
    assertThat(rig().await(poll(counter.fd(), POLLIN)).result()).isPositive();
    assertThat(counter.drain()).isEqualTo(1);
    rig().assertSilent(poll(counter.fd(), POLLIN));
  }

  @Test
  default void pollOfAReadyDescriptorCompletesAtOnce() throws IOException {
    if (refusesPolling()) {
      return;
    }
    EventFd counter = rig().keep(EventFd.open(true));
    assertThat(rig().await(poll(counter.fd(), POLLOUT)).result() & POLLOUT).isEqualTo(POLLOUT);
  }

  @Test
  default void twoPollsOfOneDescriptorHaveTheirOwnEvents() throws IOException {
    if (refusesPolling()) {
      return;
    }
    EventFd counter = rig().keep(EventFd.open(true));
    long in = poll(counter.fd(), POLLIN);
    long out = poll(counter.fd(), POLLOUT);
    assertThat(rig().await(out).result()).isEqualTo(POLLOUT);
    rig().assertSilent(in);
    counter.signal();
    assertThat(rig().await(in).result() & POLLIN).isEqualTo(POLLIN);
  }

  @Test
  default void cancelledPollEnds() throws IOException {
    if (refusesPolling()) {
      return;
    }
    EventFd counter = rig().keep(EventFd.open(true));
    long token = poll(counter.fd(), POLLIN);
    rig().engine().cancel(token);
    assertThat(rig().await(token).result()).isEqualTo(-ECANCELED);
    counter.signal();
    rig().assertSilent(token);
  }

  /// Opens a descriptor with this number, which was closed a moment ago. Lower numbers may have
  /// become free as well.
  private @Nullable EventFd numbered(int fd) throws IOException {
    for (int i = 0; i < 100; i++) {
      EventFd next = rig().keep(EventFd.open(true));
      if (next.fd() == fd) {
        return next;
      }
    }
    return null;
  }

  @Test
  default void numberOfAClosedDescriptorCanBePolledAgain() throws IOException {
    if (refusesPolling()) {
      return;
    }
    EventFd second = null;
    for (int i = 0; i < 20 && second == null; i++) { // another thread may have taken the number
      EventFd first = EventFd.open(true);
      first.signal();
      assertThat(rig().await(poll(first.fd(), POLLIN)).result()).isPositive();
      first.close();
      second = numbered(first.fd());
    }
    EventFd again = Objects.requireNonNull(second);
    long token = poll(again.fd(), POLLIN);
    rig().assertSilent(token);
    again.signal();
    assertThat(rig().await(token).result()).isPositive();
  }

  @Test
  default void pollOfNoDescriptorIsEbadf() throws IOException {
    if (refusesPolling()) {
      return;
    }
    assertThat(rig().await(poll(1_000_000, POLLIN)).result()).isEqualTo(-EBADF);
  }

  @Test
  default void unknownTokensCanBeCancelled() throws IOException {
    rig().engine().cancel(rig().token());
    rig().engine().cancel(-1);
    assertThat(rig().turn(0)).isZero();
  }

  @Test
  default void sendFileMovesTheBytesItSays(@TempDir Path folder) throws IOException {
    var pair = rig().pair();
    byte[] bytes = EngineContractRig.randomBytes(10_000, 1);
    Path path = Files.write(folder.resolve("file"), bytes);
    try (EngineContractFile file = EngineContractFile.open(path)) {
      var sockets = rig().sockets();
      long moved = sockets.sendFile(pair.socket(), file.fd(), 1000, 3000);
      if (!rawDescriptors()) {
        assertThat(moved).isEqualTo(-EOPNOTSUPP);
        return;
      }
      assertThat(moved).isEqualTo(3000);
      assertThat(pair.peer().read(3000)).isEqualTo(Arrays.copyOfRange(bytes, 1000, 4000));
      assertThat(sockets.sendFile(pair.socket(), file.fd(), 9000, 5000)).isEqualTo(1000);
      assertThat(sockets.sendFile(pair.socket(), file.fd(), 10_000, 5000)).isZero();
      assertThat(pair.peer().read(1000)).isEqualTo(Arrays.copyOfRange(bytes, 9000, 10_000));
    }
  }

  @Test
  default void sendFileToAFullSocketIsEagain(@TempDir Path folder) throws IOException {
    if (!rawDescriptors()) {
      return; // sendFileMovesTheBytesItSays has checked the refusal
    }
    var pair = rig().pair();
    byte[] bytes = EngineContractRig.randomBytes(EngineContractSend.MORE_THAN_FITS, 2);
    Path path = Files.write(folder.resolve("file"), bytes);
    try (EngineContractFile file = EngineContractFile.open(path)) {
      long sent = 0;
      long moved = 0;
      while (moved >= 0 && sent < bytes.length) {
        moved = rig().sockets().sendFile(pair.socket(), file.fd(), sent, bytes.length - sent);
        sent += Math.max(0, moved);
      }
      assertThat(moved).isEqualTo(-EAGAIN);
      assertThat(pair.peer().read((int) sent)).isEqualTo(Arrays.copyOf(bytes, (int) sent));
    }
  }

  /// Checks that the mechanism that makes `sendFile` return instead of waiting does not affect
  /// armed operations.
  @Test
  default void operationsAfterSendFileStillWait(@TempDir Path folder) throws IOException {
    if (!rawDescriptors()) {
      return; // sendFileMovesTheBytesItSays has checked the refusal
    }
    var pair = rig().pair();
    var sockets = rig().sockets();
    long before = rig().token();
    sockets.receive(pair.socket(), before);
    rig().turn(0);
    Path path = Files.write(folder.resolve("file"), new byte[100]);
    try (EngineContractFile file = EngineContractFile.open(path)) {
      assertThat(sockets.sendFile(pair.socket(), file.fd(), 0, 100)).isEqualTo(100);
    }
    rig().assertSilent(before);
    pair.peer().write(new byte[] {1, 2});
    assertThat(rig().awaitBytes(before, 2)).containsExactly(1, 2);
    rig().engine().cancel(before);
    assertThat(rig().await(before).result()).isEqualTo(-ECANCELED);
    long after = rig().token();
    sockets.receive(pair.socket(), after);
    rig().assertSilent(after);
    byte[] bytes = EngineContractRig.randomBytes(EngineContractSend.MORE_THAN_FITS, 3);
    long all = rig().token();
    sockets.sendAll(pair.socket(), all, rig().segment(bytes), 0, bytes.length);
    rig().assertSilent(all);
    var reader = rig().peers.later(0, () -> pair.peer().read(100 + bytes.length));
    assertThat(rig().await(all).result()).isEqualTo(bytes.length);
    reader.join();
  }

  @Test
  default void adoptedListenerAccepts() throws IOException {
    if (!rawDescriptors()) {
      assertThatThrownBy(() -> rig().sockets().adoptListener(0))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("EOPNOTSUPP")
          .hasMessageContaining("Why:")
          .hasMessageContaining("Fix:");
      return;
    }
    int fd = EngineContractFile.listeningSocket();
    int listener = rig().sockets().adoptListener(fd);
    long token = rig().token();
    rig().sockets().accept(listener, token);
    rig().turn(0);
    rig().connectPeer(rig().sockets().localAddress(listener));
    assertThat(rig().await(token).result()).isNotNegative();
    assertThatThrownBy(() -> rig().sockets().adoptListener(-1)).isInstanceOf(IOException.class);
    rig().sockets().listen(EngineContractRig.anyPort("127.0.0.1"), ListenOptions.DEFAULT);
  }
}
