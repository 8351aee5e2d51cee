package sluice.loop.poller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static sluice.sys.Errno.EEXIST;
import static sluice.sys.Errno.EINVAL;
import static sluice.sys.Errno.ENOENT;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.loop.engine.Backend;
import sluice.loop.poller.PollSet.Change;
import sluice.sys.EventFd;
import sluice.sys.SysException;
import sluice.testbase.Await;

/// The two old interfaces, and how descriptors of the JDK's objects are found or refused.
@Timeout(60)
class PollerFacadesTest {
  private record OwnChannel(int descriptor) implements DescriptorChannel, Channel {
    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  @Test
  void oldCodePortsByRenaming() throws IOException {
    try (PollerFacade mux = new PollerFacade(65535);
        EventFd first = EventFd.open(true);
        EventFd second = EventFd.open(true)) {
      int fd1 = mux.add(first.fd(), PollerFacade.POLLIN);
      int fd2 = mux.add(new OwnChannel(second.fd()), PollerFacade.POLLIN);
      assertThat(fd1).isEqualTo(first.fd());
      assertThat(fd2).isEqualTo(second.fd());
      int[] fds = new int[100];
      short[] revents = new short[100];
      assertThat(mux.waitMultiple(100, fds, revents, 0)).isZero();
      second.signal();
      assertThat(mux.waitMultiple(100, fds, revents, -1)).isEqualTo(1);
      assertThat(fds[0]).isEqualTo(fd2);
      assertThat(revents[0]).isEqualTo(PollerFacade.POLLIN);
      assertThat(mux.isMember(fd1)).isTrue();
      mux.remove(fd1);
      assertThat(mux.isMember(fd1)).isFalse();
      assertThatThrownBy(() -> mux.remove(fd1))
          .isInstanceOf(SysException.class)
          .hasMessageContaining("ENOENT");
      assertThat(mux.isMember(new OwnChannel(fd2))).isTrue();
      mux.remove(new OwnChannel(fd2));
      mux.wakeup();
      assertThat(mux.waitMultiple(100, fds, revents, -1)).isZero();
      assertThat(mux.waitMultiple(100, fds, revents, 5)).isZero();
    }
  }

  /// What it is told of reaches the thread that waits, and not the refused one.
  @Test
  void aThreadThatIsRefusedTakesNothingFromTheOneThatWaits() throws Exception {
    try (PollerFacade mux = new PollerFacade(10);
        EventFd event = EventFd.open(true)) {
      mux.add(event.fd(), PollerFacade.POLLIN);
      int[] fds = new int[1];
      AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
      Thread waiter =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  awaitOne(mux, fds);
                } catch (Throwable e) { // told below, on the test's thread
                  failure.set(e);
                }
              });
      boolean refused = false;
      for (Await await = new Await(); !refused; await.check("a refusal")) {
        try {
          assertThat(mux.waitMultiple(100, new int[100], new short[100], 0)).isZero();
        } catch (IllegalStateException otherWaits) {
          refused = true;
        }
      }
      event.signal();
      Await.end(waiter);
      assertThat(failure.get()).isNull();
      assertThat(fds[0]).isEqualTo(event.fd());
    }
  }

  private static void awaitOne(PollerFacade mux, int[] fds) {
    int count = 0;
    for (Await await = new Await(); count == 0; await.check("an event")) {
      try {
        count = mux.waitMultiple(1, fds, new short[1], 30_000);
      } catch (IllegalStateException otherWasFirst) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void arraysWithoutRoomAreRefused() throws Exception {
    try (PollerFacade mux = new PollerFacade(10)) {
      assertThatThrownBy(() -> mux.waitMultiple(2, new int[2], new short[1], 0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("both arrays");
      assertThatThrownBy(() -> mux.waitMultiple(0, new int[2], new short[2], 0))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void theConstantsAreThoseOfPoll() {
    assertThat(
            new int[] {
              PollerFacade.POLLIN,
              PollerFacade.POLLPRI,
              PollerFacade.POLLOUT,
              PollerFacade.POLLERR,
              PollerFacade.POLLHUP,
              PollerFacade.POLLNVAL,
              PollerFacade.POLLRDNORM,
              PollerFacade.POLLRDBAND,
              PollerFacade.POLLWRNORM,
              PollerFacade.POLLWRBAND
            })
        .containsExactly(1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x100, 0x200);
  }

  @Test
  void aPollsetAddsModifiesDeletes() throws IOException {
    PollSet set = PollSet.create(10);
    try (EventFd first = EventFd.open(true);
        EventFd second = EventFd.open(true)) {
      Change[] changes = {
        new Change(PollSet.PS_ADD, (short) Poller.IN, first.fd()),
        new Change(PollSet.PS_ADD, (short) Poller.IN, second.fd()),
        new Change(PollSet.PS_MOD, (short) Poller.OUT, second.fd()),
      };
      assertThat(set.ctl(changes, 3)).isZero();
      assertThat(set.query(first.fd())).isEqualTo(Poller.IN);
      assertThat(set.query(second.fd())).isEqualTo(Poller.IN | Poller.OUT);
      assertThat(set.query(99_999)).isEqualTo(-ENOENT);
      int[] fds = new int[8];
      short[] revents = new short[8];
      assertThat(set.poll(fds, revents, 8, -1)).isEqualTo(1);
      assertThat(fds[0]).isEqualTo(second.fd());
      assertThat(revents[0]).isEqualTo((short) Poller.OUT);
      assertThat(set.ctl(changes, 3)).isEqualTo(-EEXIST);
      Change[] partly = {
        new Change(PollSet.PS_DELETE, (short) 0, second.fd()),
        new Change(PollSet.PS_DELETE, (short) 0, second.fd()),
        new Change(PollSet.PS_DELETE, (short) 0, first.fd()),
      };
      assertThat(set.ctl(partly, 3)).isEqualTo(1);
      assertThat(set.query(first.fd())).isEqualTo(Poller.IN);
      assertThat(set.ctl(new Change[] {new Change((short) 9, (short) 0, first.fd())}, 1))
          .isEqualTo(-EINVAL);
      assertThat(set.poll(fds, revents, 8, 5)).isZero();
    }
    set.destroy();
    assertThatThrownBy(() -> set.poll(new int[1], new short[1], 1, 0))
        .isInstanceOf(IllegalStateException.class);
  }

  /// This module's tests run without the flags: each kind is refused with what would help.
  @Test
  void objectsOfTheJdkAreRefusedWithTheFlagThatHelps() throws IOException {
    Pipe pipe = Pipe.open();
    try (PollerFacade mux = new PollerFacade(10);
        SocketChannel socket = SocketChannel.open();
        ServerSocketChannel server = ServerSocketChannel.open();
        DatagramChannel datagram = DatagramChannel.open();
        Pipe.SourceChannel source = pipe.source();
        Pipe.SinkChannel sink = pipe.sink()) {
      for (Object channel : List.of(socket, server, datagram, source, sink, socket.socket())) {
        assertThatThrownBy(() -> mux.add(channel, Poller.IN))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("Why: ")
            .hasMessageContaining("Fix: ")
            .hasMessageContaining("--add-exports java.base/sun.nio.ch=sluice.loop");
      }
      try (Socket plain = new Socket();
          ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
          DatagramSocket packets = new DatagramSocket()) {
        for (Object object : List.of(plain, listener, packets)) {
          assertThatThrownBy(() -> mux.add(object, Poller.IN))
              .isInstanceOf(IOException.class)
              .hasMessageContaining("--add-opens java.base/java.net=sluice.loop")
              .hasMessageContaining("--add-opens java.base/java.io=sluice.loop");
        }
      }
    }
  }

  @Test
  void whatHasNoDescriptorIsRefused(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "text");
    try (PollerFacade mux = new PollerFacade(10);
        FileChannel channel = FileChannel.open(file)) {
      assertThatThrownBy(() -> mux.poller().add(channel, Poller.IN))
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> mux.add("text", Poller.IN))
          .hasMessageContaining("java.lang.String")
          .hasMessageContaining("Fix: ");
      SocketChannel gone = SocketChannel.open();
      gone.close();
      assertThatThrownBy(() -> mux.add(gone, Poller.IN))
          .isInstanceOf(SysException.class)
          .hasMessageContaining("EBADF");
      assertThatThrownBy(() -> mux.add(new OwnChannel(-1), Poller.IN))
          .isInstanceOf(SysException.class)
          .hasMessageContaining("EBADF");
    }
  }

  @Test
  void theJdkBackendIsRefused() throws IOException {
    assertThatThrownBy(() -> Poller.open(10, Backend.JDK))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Why: ")
        .hasMessageContaining("Fix: ");
    try (Poller poller = Poller.open(10, Backend.AUTO)) {
      assertThat(poller.backend()).isEqualTo("epoll");
      assertThat(poller.why()).isNotBlank();
    }
  }

  @Test
  void numbersFindTheirSlots() {
    PollerNumbers numbers = new PollerNumbers();
    for (int round = 0; round < 3; round++) {
      for (int fd = 0; fd < 5_000; fd += 1 + round) {
        numbers.put(fd, fd + 7);
      }
      for (int fd = 0; fd < 5_000; fd += 1 + round) {
        assertThat(numbers.slot(fd)).isEqualTo(fd + 7);
        if (fd % 3 == 0) {
          numbers.remove(fd);
        }
      }
      for (int fd = 0; fd < 5_000; fd += 1 + round) {
        assertThat(numbers.slot(fd)).isEqualTo(fd % 3 == 0 ? -1 : fd + 7);
        if (fd % 3 != 0) {
          numbers.remove(fd);
        }
      }
      assertThat(numbers.slot(1)).isEqualTo(-1);
    }
    assertThat(numbers.slot(-1)).isEqualTo(-1);
  }
}
