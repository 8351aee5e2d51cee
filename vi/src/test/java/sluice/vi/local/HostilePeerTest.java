package sluice.vi.local;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.testbase.Await;
import sluice.vi.device.Descriptor;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// A peer of the same user that keeps to no rule: its first packet, its memory file, and what it
/// writes into the shared memory.
@Timeout(240)
final class HostilePeerTest {
  private static final int RING = 1 << 14;
  private static final int ROOM = 8192;
  private static final int MARGIN = 4096;
  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(30);
  private static final PortSpec SPEC = new PortSpec(9, false, false, 16, 16, 65_536, RING);

  private HostileRig rig;

  @BeforeEach
  void listen() throws IOException {
    rig = new HostileRig("hostile", SPEC);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private Hello hello(int fd) {
    return Hello.of(SPEC, fd);
  }

  /// @return what the other side reads when the listener has closed the socket: 0
  private static int read(int socket) {
    try (Arena arena = Arena.ofConfined()) {
      return Sockets.recv(socket, arena.allocate(64), 0, 64, 0);
    }
  }

  @Test
  void firstPacketsThatAreNoneAreRefused() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      int socket = rig.connectSocket();
      try (Arena arena = Arena.ofConfined()) {
        int length = 1 + random.nextInt(60);
        MemorySegment packet = arena.allocate(64, 4);
        hello(random.nextInt()).write(packet);
        if (length >= Hello.BYTES) { // a longer packet is cut to a greeting
          packet.set(JAVA_INT_UNALIGNED, 4L * random.nextInt(2), ~random.nextInt(1000));
        }
        assertThat(Sockets.send(socket, packet, 0, length, 0)).isEqualTo(length);
        assertThat(read(socket)).isLessThanOrEqualTo(0);
      } finally {
        int _ = Files.close(socket);
      }
      if (i % 2 == 0) {
        int silent = rig.connectSocket();
        int _ = Files.close(silent);
      }
    }
  }

  @Test
  void memoryThatCanShrinkIsRefused() throws Exception {
    int fd = Files.memfd("unsealed");
    assertThat(Files.ftruncate(fd, RingLayout.totalBytes(RING))).isZero();
    refused(fd, "sealed");
    int small = SharedMemory.create(RING);
    int other = SharedMemory.create(RING * 2);
    refused(other, "bytes");
    int[] pipe = new int[2];
    assertThat(Files.pipe2(0, pipe)).isZero();
    refused(pipe[0], "");
    refused(9999, "");
    for (int each : new int[] {fd, small, other, pipe[0], pipe[1]}) {
      int _ = Files.close(each);
    }
  }

  private void refused(int fd, String why) throws Exception {
    int socket = rig.connectSocket();
    HostileRig.say(socket, hello(fd));
    assertThatThrownBy(() -> rig.listener.accept(SPEC, TimeUnit.SECONDS.toNanos(Await.SECONDS)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
    assertThat(read(socket)).isEqualTo(Hello.ANSWER_BYTES);
    int _ = Files.close(socket);
  }

  @Test
  void scribbledMemoryFailsTheConnectionAndTouchesNothingElse() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    int failed = 0;
    for (int round = 0; round < 300; round++) {
      try (Arena arena = Arena.ofShared();
          HostileRig.Peer peer = rig.connect()) {
        failed += scribble(random, round, peer.port(), peer.shared(), arena) ? 1 : 0;
      }
    }
    System.out.println(failed + " of 300 connections failed");
    assertThat(failed).as("seed " + seed).isGreaterThan(100);
  }

  /// Uses a port for a while as its peer writes anything anywhere.
  ///
  /// @return whether it failed
  private static boolean scribble(
      Random random, int round, Port port, MemorySegment shared, Arena arena) throws Exception {
    MemorySegment around = arena.allocate(ROOM + 2 * MARGIN, 64);
    around.fill((byte) 0x5a);
    MemorySegment room = around.asSlice(MARGIN, ROOM);
    MemorySegment source = arena.allocate(ROOM, 64);
    Thread writer = null;
    if (round % 3 == 0) { // while the port reads
      long threadSeed = random.nextLong();
      long end = System.nanoTime() + SHORT_NANOS;
      writer =
          Thread.ofPlatform()
              .start(() -> {
                Random own = new Random(threadSeed);
                while (System.nanoTime() - end < 0) {
                  write(own, shared);
                }
              });
    }
    long end = System.nanoTime() + SHORT_NANOS;
    for (int i = 0; i < 200 || (writer != null && System.nanoTime() - end < 0); i++) {
      if (writer == null) {
        write(random, shared);
      }
      if (port.receivesPosted() < 4 && port.failure() == null) {
        Descriptor receive = new Descriptor("receive", 1);
        receive.add(room, 0, ROOM, 0);
        port.postReceive(receive);
        Descriptor send = new Descriptor("send", 1);
        send.add(source, 0, random.nextInt(ROOM), 0);
        if (port.sendsPosted() < 16) {
          port.postSend(send);
        }
      }
      Descriptor got = port.pollReceive();
      if (got != null && got.failure() == null) {
        assertThat(got.transferredBytes()).isBetween(0, ROOM);
      }
      Descriptor _ = port.pollSend();
    }
    if (writer != null) {
      Await.end(writer);
    }
    for (int i = 0; i < MARGIN; i++) {
      assertThat(around.get(JAVA_BYTE, i)).isEqualTo((byte) 0x5a);
      assertThat(around.get(JAVA_BYTE, MARGIN + ROOM + i)).isEqualTo((byte) 0x5a);
    }
    return port.failure() != null;
  }

  /// A plausible number, or any, mostly where control words and slots are.
  private static void write(Random random, MemorySegment shared) {
    long direction = random.nextInt(2) * RingLayout.directionBytes(RING);
    long at =
        switch (random.nextInt(4)) {
          case 0 -> random.nextInt(3) * 8L;
          case 1 -> RingLayout.SLOTS_AT + random.nextInt(6) * 64L;
          case 2 -> RingLayout.SLOTS_AT + random.nextInt(6) * 64L + 8;
          default -> random.nextInt((int) RingLayout.directionBytes(RING) - 8);
        };
    long value =
        switch (random.nextInt(4)) {
          case 0 -> random.nextInt(8);
          case 1 -> random.nextLong();
          case 2 -> -random.nextInt(100);
          default -> random.nextInt(3000) | ((long) random.nextInt(3000) << 32);
        };
    shared.set(JAVA_LONG_UNALIGNED, direction + at, value);
  }
}
