package sluice.bench.run;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// An agent that is loaded into a Java server under test and reports what the server allocates or
/// keeps in memory. Its thread runs in that server; the thread's own allocations are subtracted.
public final class AllocationAgent {
  static final String ALLOCATED = "allocated ";
  static final String HEAP = "heap ";

  private static final int DIGITS = 20;
  private static final long PERIOD_MILLIS = 10;

  private AllocationAgent() {}

  /// Runs the agent.
  ///
  /// @param arguments `allocated FILE` keeps in FILE the bytes allocated so far, until the file is
  ///   deleted; `heap FILE` collects garbage and writes to FILE the bytes of heap in use
  public static void agentmain(String arguments) throws IOException {
    if (arguments.startsWith(HEAP)) {
      System.gc();
      long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      Files.writeString(Path.of(arguments.substring(HEAP.length())), Long.toString(used));
      return;
    }
    Path file = Path.of(arguments.substring(ALLOCATED.length()));
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    write(channel, allocated());
    Thread.ofPlatform().daemon().name("bench-allocations").start(() -> keep(file, channel));
  }

  private static long allocated() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getTotalThreadAllocatedBytes() - threads.getCurrentThreadAllocatedBytes();
  }

  private static void write(FileChannel channel, long value) throws IOException {
    String text = String.format("%0" + DIGITS + "d\n", value);
    channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), 0);
  }

  private static void keep(Path file, FileChannel channel) {
    try (channel) {
      while (Files.exists(file)) {
        write(channel, allocated());
        Thread.sleep(PERIOD_MILLIS);
      }
    } catch (IOException e) {
      System.err.println("bench agent: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
