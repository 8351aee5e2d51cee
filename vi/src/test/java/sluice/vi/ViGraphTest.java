package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Graphs of objects in a buffer, and bytes that are none.
@Timeout(120)
final class ViGraphTest {
  /// A record that refers to others.
  public record Address(String street, int zip) {}

  /// One line of an order.
  public record Line(long article, double price, @Nullable String text, @Nullable Address to) {}

  /// A graph: two lines may have one address.
  @SuppressWarnings("ArrayRecordComponent") // a shape of its own
  public record Order(
      long number,
      boolean paid,
      char grade,
      List<Line> lines,
      byte[] signature,
      int[] @Nullable [] no) {
    // the last component cannot stand in a buffer
  }

  /// The same without it.
  @SuppressWarnings("ArrayRecordComponent")
  public record Delivery(
      long number,
      boolean paid,
      char grade,
      short s,
      byte b,
      float f,
      List<Line> lines,
      byte[] signature,
      long[] sums,
      @Nullable Delivery before) {}

  /// What the shapes refuse.
  public record Untyped(Object any) {}

  /// Its constructor looks at what it gets.
  public record Positive(int number) {
    public Positive {
      if (number <= 0) {
        throw new IllegalArgumentException("not positive");
      }
    }
  }

  private static Delivery delivery(@Nullable Delivery before) {
    Address here = new Address("Main street 1 ä", 91058);
    List<Line> lines = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      lines.add(new Line(i, i / 2.0, i == 3 ? null : "line", i == 4 ? null : here));
    }
    return new Delivery(
        42,
        true,
        'x',
        (short) -7,
        (byte) 9,
        1.5f,
        lines,
        new byte[] {1, 2, 3},
        new long[] {Long.MIN_VALUE, 5},
        before);
  }

  @Test
  void aGraphIsWhatWasWritten() throws Exception {
    try (ViBuffer buffer = new ViBuffer(4096)) {
      ViGraph<Delivery> graph = buffer.graph(Delivery.class);
      Delivery wrote = delivery(delivery(null));
      int bytes = graph.write(100, wrote);
      assertThat(bytes).isBetween(200, 1000);
      Delivery read = graph.read(100);
      assertThat(read).usingRecursiveComparison().isEqualTo(wrote);
      assertThat(read.lines().get(0).to()).isNotNull().isSameAs(read.lines().get(1).to());
      assertThat(read.lines().get(4).to()).isNull();
      assertThatThrownBy(() -> read.lines().clear())
          .isInstanceOf(UnsupportedOperationException.class);
    }
  }

  @Test
  void graphsGoOverAVi() throws Exception {
    try (VisUnderTest vis = VisUnderTest.connect(Nic.open("local"), ViAttributes.DEFAULT)) {
      ViBufferTicket out = vis.buffer(vis.client, 4096);
      ViBufferTicket in = vis.buffer(vis.server, 4096);
      vis.server.recvBufPost(in, 0);
      Delivery wrote = delivery(null);
      vis.client.sendBufPost(out, 0, out.buffer().graph(Delivery.class).write(0, wrote));
      assertThatThrownBy(() -> in.buffer().graph(Delivery.class)).hasMessageContaining("device's");
      ViTicket _ = vis.server.recvBufWait(VisUnderTest.LONG_MICROS);
      assertThat(in.buffer().graph(Delivery.class).read(0))
          .usingRecursiveComparison()
          .isEqualTo(wrote);
      ViTicket _ = vis.client.sendBufWait(VisUnderTest.LONG_MICROS);
    }
  }

  @Test
  void whatCannotStandThereIsRefused() {
    try (ViBuffer buffer = new ViBuffer(100)) {
      assertThatThrownBy(() -> buffer.graph(Order.class)).hasMessageContaining("Fix");
      assertThatThrownBy(() -> buffer.graph(Untyped.class)).hasMessageContaining("Object");
      assertThatThrownBy(() -> buffer.graph(Delivery.class).write(0, delivery(null)))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    try (ViBuffer buffer = new ViBuffer(1 << 16)) {
      Delivery deep = delivery(null);
      for (int i = 0; i < ViGraph.MAX_DEPTH; i++) {
        deep =
            new Delivery(
                i, true, 'x', (short) 0, (byte) 0, 0, List.of(), new byte[0], new long[0], deep);
      }
      Delivery tooDeep = deep;
      assertThatThrownBy(() -> buffer.graph(Delivery.class).write(0, tooDeep))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("deeper than 64");
    }
  }

  @Test
  void constructorsMayRefuseWhatComes() {
    try (ViBuffer buffer = new ViBuffer(100)) {
      ViGraph<Positive> graph = buffer.graph(Positive.class);
      assertThat(graph.write(0, new Positive(3))).isEqualTo(8);
      buffer.ints().set(1, -3);
      assertThatThrownBy(() -> graph.read(0))
          .isInstanceOf(ViException.class)
          .hasMessageContaining("not positive");
      assertThatThrownBy(() -> graph.read(50)).hasMessageContaining("there is no");
    }
  }

  @Test
  void aReferenceToAnotherTypeIsRefused() {
    try (ViBuffer buffer = new ViBuffer(100)) {
      ViGraph<Line> graph = buffer.graph(Line.class);
      int bytes = graph.write(0, new Line(1, 2, "text", null));
      buffer.ints().set(bytes / 4 - 1, -1); // the address is the string
      assertThatThrownBy(() -> graph.read(0)).hasMessageContaining("another type");
    }
  }

  /// Bytes that were changed, or were never a graph, give a graph or a [ViException], and soon.
  @Test
  void noBytesBreakTheReader() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    try (ViBuffer buffer = new ViBuffer(1024)) {
      ViGraph<Delivery> graph = buffer.graph(Delivery.class);
      int bytes = graph.write(0, delivery(delivery(null)));
      byte[] right = new byte[bytes];
      buffer.bytes().copyTo(0, right, 0, bytes);
      int[] outcomes = new int[2];
      for (int i = 0; i < 20_000; i++) {
        byte[] wrong = right.clone();
        for (int changes = random.nextInt(4); changes >= 0; changes--) {
          wrong[random.nextInt(bytes)] = (byte) random.nextInt(-3, 4);
        }
        buffer.bytes().copyFrom(wrong, 0, 0, bytes);
        outcomes[reads(graph) ? 1 : 0]++;
      }
      assertThat(outcomes[0]).isGreaterThan(100);
      assertThat(outcomes[1]).isGreaterThan(100);
    }
  }

  private static boolean reads(ViGraph<Delivery> graph) {
    try {
      assertThat(graph.read(0)).isNotNull();
      return true;
    } catch (ViException e) {
      return false;
    }
  }
}
