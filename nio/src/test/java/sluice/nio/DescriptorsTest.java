package sluice.nio;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import sluice.sys.EventFd;
import sluice.sys.ResourceLimit;
import sluice.sys.SysException;
import sluice.testbase.Await;
import sluice.testkit.LoadedClasses;
import sun.nio.ch.DefaultSelectorProvider;

/// Descriptors: none is leaked, and running out of them is survived.
class DescriptorsTest extends Scenario {
  @Test
  void nothingIsLeftOfWhatWasClosed() throws Exception {
    useAndClose(); // what is opened once per process is open now
    long before = openDescriptors();
    for (int i = 0; i < 50; i++) {
      useAndClose();
    }
    Await.until("no more descriptors than before", () -> openDescriptors() <= before + 5);
  }

  @Test
  void channelsClosedWhileRegisteredGoWithTheNextSelect() throws Exception {
    Selector selector = selector();
    selector.selectNow();
    long before = openDescriptors();
    for (int i = 0; i < 100; i++) {
      DatagramChannel channel = nio().openDatagramChannel();
      register(channel, selector, OP_READ);
      channel.close();
    }
    selector.selectNow();
    assertThat(selector.keys()).isEmpty();
    Await.until("no more descriptors than before", () -> openDescriptors() <= before + 5);
  }

  @Test
  void refusedConnectionsLeaveNothing() throws Exception {
    int port;
    try (ServerSocketChannel server = listening()) {
      port = addressOf(server).getPort();
    }
    long before = openDescriptors();
    for (int i = 0; i < 100; i++) {
      SocketChannel channel = nio().openSocketChannel();
      assertThatThrownBy(() -> channel.connect(loopback(port))).isInstanceOf(IOException.class);
    }
    Await.until("no more descriptors than before", () -> openDescriptors() <= before + 5);
  }

  @Test
  @SuppressWarnings("resource") // that they are not closed is the point
  void forgottenDatagramChannelsAreCollected() throws Exception {
    long before = openDescriptors();
    for (int i = 0; i < 100; i++) {
      nio().openDatagramChannel();
    }
    Await.until(
        "the collection of the channels",
        () -> {
          System.gc();
          return openDescriptors() <= before + 10;
        });
  }

  @Test
  void thoseThatWereSelectedOnceAsWell() throws Exception {
    Selector selector = selector();
    long before = openDescriptors();
    for (int i = 0; i < 100; i++) {
      SelectionKey key = register(nio().openDatagramChannel(), selector, OP_READ);
      selector.selectNow();
      key.cancel();
      selector.selectNow();
    }
    Await.until(
        "the collection of the channels",
        () -> {
          System.gc();
          return openDescriptors() <= before + 10;
        });
    assertThat(selector.isOpen()).isTrue();
  }

  /// The limit is lowered first: for an accept that a ring has armed, the limit of that moment
  /// counts.
  @Test
  void aServerSurvivesRunningOut() throws Exception {
    long limit = ResourceLimit.of(ResourceLimit.RLIMIT_NOFILE).soft();
    LoadedClasses.withAllOf(Scenario.class);
    useAndClose(); // what the JDK opens once and for all is open now
    assertThatThrownBy(() -> ResourceLimit.of(999)).isInstanceOf(SysException.class);
    List<EventFd> others = new ArrayList<>(); // of a process that has many
    for (int i = 0; i < 1_000; i++) {
      others.add(EventFd.open(true));
    }
    ResourceLimit.soft(ResourceLimit.RLIMIT_NOFILE, openDescriptors() + 100);
    try {
      if (under == ProviderUnderTest.FRONTED) {
        runOutBehindFiles();
      } else {
        runOut();
      }
    } finally {
      ResourceLimit.soft(ResourceLimit.RLIMIT_NOFILE, limit);
      others.forEach(EventFd::close);
    }
  }

  private void runOut() throws Exception {
    Selector selector = selector();
    ServerSocketChannel server = listening();
    SelectionKey key = register(server, selector, OP_ACCEPT);
    selector.selectNow();
    Socket first = new Socket(loopback(0).getAddress(), addressOf(server).getPort());
    closing(first);
    awaitReady(selector, key, OP_ACCEPT);
    closing(server.accept()); // everything this runs through is open by now
    List<Socket> waiting = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      waiting.add(closing(new Socket(loopback(0).getAddress(), addressOf(server).getPort())));
    }
    List<EventFd> hogs = new ArrayList<>();
    List<SocketChannel> accepted = new ArrayList<>();
    try {
      assertThat(refused(hogs, () -> acceptAll(server, accepted)))
          .isExactlyInstanceOf(IOException.class)
          .hasMessage("Too many open files");
      assertThat(refused(hogs, () -> closing(nio().openSocketChannel())))
          .isExactlyInstanceOf(SocketException.class);
      assertThat(refused(hogs, () -> closing(nio().openDatagramChannel())))
          .isExactlyInstanceOf(SocketException.class);
      assertThat(refused(hogs, this::pipe)).isExactlyInstanceOf(IOException.class);
      assertThat(refused(hogs, () -> closing(nio().openSelector())))
          .isInstanceOf(IOException.class);
    } finally {
      hogs.forEach(EventFd::close);
    }
    assertThat(server.isOpen()).isTrue();
    while (accepted.size() < waiting.size()) {
      awaitReady(selector, key, OP_ACCEPT);
      acceptAll(server, accepted);
    }
    send(waiting.getLast(), "x");
    assertThat(text(readFully(accepted.getLast(), 1))).isEqualTo("x");
  }

  /// The front accepts no more while there is no descriptor; those that wait are served then.
  private void runOutBehindFiles() throws Exception {
    Selector selector = selector();
    ServerSocketChannel server = listening();
    SelectionKey key = register(server, selector, OP_ACCEPT);
    closing(new Socket(loopback(0).getAddress(), addressOf(server).getPort()));
    awaitReady(selector, key, OP_ACCEPT);
    closing(server.accept()); // everything this runs through is open by now
    List<SocketChannel> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiting.add(closing(DefaultSelectorProvider.get().openSocketChannel()));
    }
    List<EventFd> hogs = new ArrayList<>();
    try {
      for (SocketChannel each : waiting) {
        useUp(hogs);
        each.connect(addressOf(server));
        each.write(text("x"));
      }
    } finally {
      hogs.forEach(EventFd::close);
    }
    for (int i = 0; i < 3; i++) {
      awaitReady(selector, key, OP_ACCEPT);
      assertThat(text(readFully(closing(server.accept()), 1))).isEqualTo("x");
    }
  }

  private interface Opening {
    void run() throws IOException;
  }

  /// With all descriptors used up an opening fails. What an earlier test has forgotten may be
  /// collected and closed just then: the number that comes free by that is used up too.
  private static IOException refused(List<EventFd> hogs, Opening opening) throws Exception {
    AtomicReference<@Nullable IOException> thrown = new AtomicReference<>();
    Await.until(
        "an opening that is refused",
        () -> {
          useUp(hogs);
          try {
            opening.run();
          } catch (IOException refused) {
            thrown.set(refused);
          }
          return thrown.get() != null;
        });
    return Objects.requireNonNull(thrown.get());
  }

  /// An engine may have accepted ahead of the asking; what it holds comes first.
  private void acceptAll(ServerSocketChannel server, List<SocketChannel> accepted)
      throws IOException {
    SocketChannel next = server.accept();
    while (next != null) {
      accepted.add(closing(next));
      next = server.accept();
    }
  }

  private static void useUp(List<EventFd> hogs) {
    try {
      while (hogs.size() < 100_000) {
        hogs.add(EventFd.open(true));
      }
    } catch (SysException e) {
      assertThat(e.errno()).isEqualTo(sluice.sys.Errno.EMFILE);
    }
  }

  private void useAndClose() throws Exception {
    Pair pair = pair();
    Pipe pipe = pipe();
    DatagramChannel datagram = boundDatagram();
    Selector selector = nio().openSelector();
    SelectionKey key = register(pair.near(), selector, OP_READ);
    register(pipe.source(), selector, OP_READ);
    register(datagram, selector, OP_READ);
    writeFully(pair.far(), text("x"));
    awaitReady(selector, key, OP_READ);
    pair.near().close();
    pair.far().close();
    datagram.close();
    selector.close();
    pipe.source().close();
    pipe.sink().close();
  }

  private static long openDescriptors() throws IOException {
    try (var files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    }
  }
}
