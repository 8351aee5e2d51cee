package sluice.bench.vi;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/// An end of Aeron: a publication and a subscription. The media driver is in the server's process:
/// one thread, which runs while messages move and sleeps otherwise. Owned by the worker's main
/// thread.
final class AeronEnd implements ViEnd {
  private static final int MARKS = 64;
  private static final int FRAGMENTS = 10;
  private static final int MTU_BYTES = 8192;
  private static final int TO_SERVER = 1;
  private static final int TO_CLIENT = 2;
  private static final long PATIENT_NANOS = TimeUnit.HOURS.toNanos(1);

  private final @Nullable MediaDriver driver;
  private final Aeron aeron;
  private final ExclusivePublication out;
  private final Subscription in;
  private final UnsafeBuffer message = new UnsafeBuffer(new byte[ViCase.MOST_BYTES]);
  private final byte[] marks = new byte[MARKS];
  private final FragmentAssembler assembler;
  private final boolean yields;
  private int arrived;
  private int taken;

  /// @param place a folder, followed by two ports, the server's and the client's, each after a
  ///   comma
  AeronEnd(boolean server, boolean udp, String place) {
    String[] parts = place.split(",", -1);
    driver = server ? launch(parts[0]) : null;
    aeron =
        Aeron.connect(
            new Aeron.Context()
                .aeronDirectoryName(parts[0])
                .keepAliveIntervalNs(TimeUnit.MILLISECONDS.toNanos(100))
                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(PATIENT_NANOS)));
    String toServer = udp ? "aeron:udp?endpoint=127.0.0.1:" + parts[1] : "aeron:ipc";
    String toClient = udp ? "aeron:udp?endpoint=127.0.0.1:" + parts[2] : "aeron:ipc";
    in = aeron.addSubscription(server ? toServer : toClient, server ? TO_SERVER : TO_CLIENT);
    out =
        aeron.addExclusivePublication(server ? toClient : toServer, server ? TO_CLIENT : TO_SERVER);
    yields = udp; // the driver's thread works for each message, on the server's processor
    assembler =
        new FragmentAssembler(
            (buffer, offset, _, _) -> marks[arrived++ & (MARKS - 1)] = buffer.getByte(offset));
  }

  private static MediaDriver launch(String folder) {
    return MediaDriver.launchEmbedded(
        new MediaDriver.Context()
            .aeronDirectoryName(folder)
            .dirDeleteOnStart(true)
            .dirDeleteOnShutdown(true)
            .threadingMode(ThreadingMode.SHARED)
            .sharedIdleStrategy(new BackoffIdleStrategy(1, 1000, 1000, 1_000_000))
            .ipcMtuLength(MTU_BYTES)
            .mtuLength(MTU_BYTES)
            .clientLivenessTimeoutNs(PATIENT_NANOS)
            .imageLivenessTimeoutNs(PATIENT_NANOS)
            .publicationUnblockTimeoutNs(2 * PATIENT_NANOS));
  }

  @Override
  public void send(int bytes, byte mark) {
    message.putByte(0, mark);
    long result = out.offer(message, 0, bytes);
    while (result < 0) {
      if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
        throw new IllegalStateException("aeron refuses: " + result);
      }
      idle();
      result = out.offer(message, 0, bytes);
    }
  }

  @Override
  public byte receive() {
    while (arrived == taken) {
      if (in.poll(assembler, FRAGMENTS) == 0) {
        idle();
      }
    }
    return marks[taken++ & (MARKS - 1)];
  }

  @Override
  public void done() {}

  @SuppressWarnings("ThreadPriorityCheck") // to the driver's thread
  private void idle() {
    if (yields) {
      Thread.yield();
    } else {
      Thread.onSpinWait();
    }
  }

  @Override
  public void close() {
    aeron.close();
    if (driver != null) {
      driver.close();
    }
  }
}
