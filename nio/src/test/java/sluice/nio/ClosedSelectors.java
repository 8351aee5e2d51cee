package sluice.nio;

import java.io.IOException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;

/// A process that opens and closes selectors, each used once. Run by [ClosedSelectorsTest] in a JVM
/// that never collects garbage and has touched all of its heap: what grows is native memory that
/// closing has not freed.
///
/// Arguments: how many, and the most that may be resident afterwards beyond what was before, in
/// KiB.
final class ClosedSelectors {
  private static final int BEFORE = 500;

  private ClosedSelectors() {}

  public static void main(String[] arguments) throws IOException {
    int count = Integer.parseInt(arguments[0]);
    int most = Integer.parseInt(arguments[1]);
    SelectorProvider provider = SelectorProvider.provider();
    Pipe pipe = provider.openPipe();
    pipe.source().configureBlocking(false);
    pipe.sink().configureBlocking(false);
    use(provider, pipe, BEFORE);
    int before = residentKib();
    use(provider, pipe, count);
    int more = residentKib() - before;
    System.out.println(count + " selectors opened and closed: " + more + " KiB more");
    if (more > most) {
      throw new AssertionError("at most " + most + " KiB expected");
    }
  }

  private static void use(SelectorProvider provider, Pipe pipe, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      try (Selector selector = provider.openSelector()) {
        SelectionKey _ = pipe.source().register(selector, SelectionKey.OP_READ);
        SelectionKey _ = pipe.sink().register(selector, SelectionKey.OP_WRITE);
        if (selector.select() != 1) {
          throw new AssertionError("only the sink is ready: " + selector.selectedKeys());
        }
      }
    }
  }

  private static int residentKib() throws IOException {
    String status = Files.readString(Path.of("/proc/self/status"));
    return Integer.parseInt(status.replaceAll("(?s).*VmRSS:\\s+(\\d+) kB.*", "$1"));
  }
}
