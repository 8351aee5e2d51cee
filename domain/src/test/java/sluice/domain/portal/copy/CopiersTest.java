package sluice.domain.portal.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.AbstractMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.domain.portal.OtherLoader;
import sluice.domain.portal.copy.CopyRefused.Reason;
import sluice.domain.portal.copy.Samples.Colour;
import sluice.domain.portal.copy.Samples.Node;
import sluice.domain.portal.copy.Samples.Pair;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;

@Timeout(60)
final class CopiersTest {
  private final Copiers same = new Copiers(CopiersTest.class.getClassLoader());
  private final ClassLoader otherLoader =
      new OtherLoader(name -> name.startsWith(Samples.class.getName()));
  private final Copiers other = new Copiers(otherLoader);

  private Object copy(Object source) {
    return Objects.requireNonNull(same.copy(source, CopyQuota.STANDARD));
  }

  @Test
  void memoryPassesOverTheSameBytesAndItsOwnerEndsIt() {
    Account account = new Account("test", 1 << 16);
    Block block = Objects.requireNonNull(Block.allocate(account, 64));
    Memory whole = Memory.over(block, 0, 64);
    Memory passed = (Memory) copy(whole);
    passed.setLong(8, 42);
    assertThat(whole.getLong(8)).isEqualTo(42);
    assertThatThrownBy(passed::revokeNow).isInstanceOf(UnsupportedOperationException.class);
    passed.close(); // does nothing: it is a part
    assertThat(whole.isLive()).isTrue();
    Memory readOnly = (Memory) copy(whole.asReadOnly());
    assertThatThrownBy(() -> readOnly.set(0, (byte) 1))
        .isInstanceOfAny(UnsupportedOperationException.class, IllegalArgumentException.class);
    assertThat(((List<?>) copy(List.of(whole, whole))))
        .satisfies(list -> assertThat(list.get(0)).isSameAs(list.get(1)));
    whole.close();
    assertThatThrownBy(() -> passed.getLong(8)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> copy(whole)).isInstanceOf(CopyRefused.class);
    block.release();
    assertThat(account.usedBytes()).isZero();
  }

  // copied like any other
  @SuppressWarnings({"JdkObsolete", "JavaUtilDate", "IdentityHashMapUsage"})
  static List<Object> values() {
    return Arrays.asList(
        new Samples.Wide(1, 2, 3, 4, 5, 6, 7),
        new Pair(new Samples.Circle(1.5), new Samples.Square(2)),
        new ArrayList<>(Arrays.asList(1, null, "x")),
        new LinkedList<>(List.of(1, 2)),
        new HashSet<>(List.of("a", "b")),
        new TreeMap<>(Map.of("b", 1, "a", 2)),
        new TreeSet<>(Set.of(3, 1, 2)),
        new LinkedHashMap<>(Map.of("k", List.of(1L, 2L))),
        List.of(),
        List.of(1, 2, 3, 4),
        Arrays.asList(1, null),
        Collections.singletonList("one"),
        Collections.emptyMap(),
        Set.of(1, 2, 3),
        Map.of("a", 1),
        Optional.of(List.of("deep")),
        Optional.empty(),
        EnumSet.of(Colour.RED),
        EnumSet.noneOf(Colour.class),
        new EnumMap<>(Map.of(Colour.GREEN, "g")),
        new IdentityHashMap<>(Map.of("k", 1)),
        new CopyOnWriteArrayList<>(List.of(1, "x")),
        new Date(12_345),
        Path.of("/a/b"),
        ByteBuffer.wrap(new byte[] {1, 2, 3, 4}, 1, 2).order(ByteOrder.LITTLE_ENDIAN),
        ByteBuffer.allocateDirect(16).putInt(7).flip(),
        Map.entry("k", List.of(1)),
        new AbstractMap.SimpleEntry<>("k", null),
        new HashMap<>(Map.of("k", List.of(1))).entrySet().iterator().next(),
        new ArrayList<>(List.of(1, 2, 3)).subList(1, 3),
        List.of(1, 2, 3, 4).subList(1, 3),
        LocalDate.EPOCH,
        ZoneId.of("Europe/Berlin"),
        BigInteger.TEN,
        Colour.GREEN);
  }

  @ParameterizedTest
  @MethodSource("values")
  void whatCanBeCopiedIsEqual(Object value) {
    assertThat(copy(value)).isEqualTo(value);
  }

  @Test
  @SuppressWarnings({"JavaUtilDate", "IdentityHashMapUsage"}) // copied like any other
  void whatArrivesOfViewsAndOfWhatCanChange() {
    Date date = new Date(1);
    assertThat(copy(date)).isNotSameAs(date);
    assertThat(copy(new ArrayList<>(List.of(1, 2, 3)).subList(1, 3)))
        .isExactlyInstanceOf(ArrayList.class);
    assertThat(copy(new TreeMap<>(Map.of("a", 1)).firstEntry()))
        .isExactlyInstanceOf(AbstractMap.SimpleImmutableEntry.class);
    ByteBuffer direct = ByteBuffer.allocateDirect(64).putLong(1).flip();
    ByteBuffer copied = (ByteBuffer) copy(direct.asReadOnlyBuffer());
    assertThat(copied.isDirect()).isFalse();
    assertThat(copied.isReadOnly()).isTrue();
    assertThat(copied.capacity()).isEqualTo(8);
    ByteBuffer heap = ByteBuffer.wrap(new byte[] {1});
    ((ByteBuffer) copy(heap)).put(0, (byte) 9);
    assertThat(heap.get(0)).isEqualTo((byte) 1);
    PriorityQueue<Integer> queue = new PriorityQueue<>(Comparator.reverseOrder());
    queue.addAll(List.of(3, 9, 1));
    PriorityQueue<?> arrived = (PriorityQueue<?>) copy(queue);
    assertThat(List.of(arrived.remove(), arrived.remove(), arrived.remove()))
        .isEqualTo(List.of(9, 3, 1));
    String key = new String("k");
    Map<?, ?> byIdentity = (Map<?, ?>) copy(new IdentityHashMap<>(Map.of(key, 1)));
    assertThat(byIdentity.get(key)).isEqualTo(1);
  }

  @Test
  @SuppressWarnings("JdkObsolete") // a view of a LinkedList leads to a list of any class
  void whatLeadsToCodeOfTheSenderIsRefused() {
    PriorityQueue<Integer> queue = new PriorityQueue<>((a, b) -> b - a);
    queue.add(1);
    for (Object refused :
        List.of(
            queue,
            new LinkedList<>(List.of(1, 2)).subList(0, 1),
            Arrays.asList(1, 2).subList(0, 1))) {
      assertThatThrownBy(() -> copy(refused))
          .isInstanceOfSatisfying(
              CopyRefused.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_PORTABLE))
          .hasMessageContaining("Fix: ");
    }
    assertThatThrownBy(() -> same.copy(ByteBuffer.allocate(1000), new CopyQuota(900, 10)))
        .isInstanceOf(CopyRefused.class);
  }

  /// Checks keys with the same hash, which are compared with each other.
  @Test
  void keysOfOneHashAreChargedForTheirComparisons() {
    Set<Object> keys = new HashSet<>();
    for (int i = 0; i < 2_000; i++) {
      keys.add(List.of(i / 1_000 * 1_000 + i, -31 * (i / 1_000 * 1_000 + i)));
    }
    assertThatThrownBy(() -> copy(keys))
        .isInstanceOfSatisfying(
            CopyRefused.class, e -> assertThat(e.reason()).isEqualTo(Reason.QUOTA))
        .hasMessageContaining("its hash takes more steps");
    Map<Object, Object> plain = new HashMap<>();
    for (int i = 0; i < 1_000; i++) {
      plain.put(List.of(i, "x" + i), new Pair(i, i));
    }
    assertThat(copy(plain)).isEqualTo(plain);
  }

  @Test
  void nothingThatCanChangeIsShared() {
    List<Object> inner = new ArrayList<>(List.of("x"));
    Pair pair = new Pair(inner, new byte[] {1});
    Pair copied = (Pair) copy(pair);
    assertThat(copied).isNotSameAs(pair);
    assertThat(copied.first()).isNotSameAs(inner).isEqualTo(inner);
    assertThat((byte[]) copied.second()).containsExactly(1).isNotSameAs(pair.second());
    assertThat(copy(new ArrayDeque<>(List.of(1, 2)))).hasToString("[1, 2]");
    Object[][] nested = {{1, "a"}, null};
    assertThat((Object[][]) copy(nested)).isDeepEqualTo(nested).isNotSameAs(nested);
  }

  @Test
  void sharedObjectsStaySharedWithFewAndWithManyObjects() {
    for (int size : new int[] {1, 10, 1000}) {
      List<Object> list = new ArrayList<>();
      Node node = new Node();
      for (int i = 0; i < size; i++) {
        list.add(new Pair(i, node));
      }
      list.add(node);
      list.add(list.get(0));
      List<?> copied = (List<?>) copy(list);
      assertThat(copied.get(size)).isNotSameAs(node);
      assertThat(((Pair) copied.get(0)).second()).isSameAs(copied.get(size));
      assertThat(copied.get(size + 1)).isSameAs(copied.get(0));
    }
  }

  @Test
  void cyclesEndAlsoThroughHashesOfObjectsThatAreNotComplete() {
    Node node = new Node();
    node.name = "Anna";
    node.next = node;
    node.friends = new HashSet<>(Set.of(node));
    Node copied = (Node) copy(node);
    assertThat(copied.next).isSameAs(copied);
    assertThat(copied.friends).contains(copied);

    List<Object> list = new ArrayList<>();
    list.add(new Pair(list, 1));
    List<?> cycle = (List<?>) copy(list);
    assertThat(((Pair) cycle.get(0)).first()).isSameAs(cycle);
  }

  @Test
  void setsInSetsAreHashedWhenComplete() {
    Set<Object> inner = new HashSet<>(Set.of(1, 2));
    List<Object> both = new ArrayList<>(List.of(inner, new HashSet<>(Set.of(inner))));
    List<?> copied = (List<?>) copy(both);
    assertThat(((Set<?>) copied.get(1)).contains(Set.of(1, 2))).isTrue();
  }

  @Test
  void theQuotaEndsACopy() {
    Object[] bomb = {"x"};
    for (int i = 0; i < 40; i++) {
      bomb = new Object[] {List.of(bomb, "left"), new byte[10]};
    }
    Object source = bomb;
    assertThatThrownBy(() -> same.copy(source, new CopyQuota(500, 10_000)))
        .asInstanceOf(type(CopyRefused.class))
        .returns(Reason.QUOTA, CopyRefused::reason);
    assertThatThrownBy(() -> same.copy(source, new CopyQuota(1 << 20, 20)))
        .hasMessageContaining("quota of objects")
        .hasMessageContaining("Fix:");
    assertThatThrownBy(() -> same.copy(new long[1 << 20], CopyQuota.STANDARD))
        .hasMessageContaining("quota of bytes");
    assertThatThrownBy(() -> same.copy("x".repeat(600_000), CopyQuota.STANDARD))
        .hasMessageContaining("quota of bytes");
  }

  @Test
  void aLongChainIsRefusedAndNotAStackOverflow() {
    Node first = new Node();
    Node last = first;
    for (int i = 0; i < 100_000; i++) {
      last = last.next = new Node();
    }
    CopyQuota large = new CopyQuota(Long.MAX_VALUE, Integer.MAX_VALUE);
    assertThatThrownBy(() -> same.copy(first, large))
        .asInstanceOf(type(CopyRefused.class))
        .returns(Reason.TOO_DEEP, CopyRefused::reason);
  }

  @Test
  void whatCannotBeCopiedIsRefusedByNameWithAFix() {
    Runnable lambda = () -> {};
    for (Object source :
        List.of(
            Thread.currentThread(),
            lambda,
            new Samples.Fixed(),
            new java.util.Random(),
            Collections.unmodifiableList(new ArrayList<>()),
            new TreeSet<>(Comparator.comparingInt(String::length)),
            Samples.class,
            new Object() {})) {
      assertThatThrownBy(() -> copy(new Pair(1, source)))
          .asInstanceOf(type(CopyRefused.class))
          .returns(Reason.NOT_PORTABLE, CopyRefused::reason)
          .extracting(Throwable::getMessage)
          .asString()
          .contains(source.getClass().getTypeName(), "Why:", "Fix:");
    }
  }

  @Test
  void theReceiverGetsItsOwnClasses() throws Exception {
    Map<Object, Object> source = new HashMap<>();
    source.put(new Pair(Colour.GREEN, new Colour[] {Colour.RED}), EnumSet.of(Colour.GREEN));
    Map<?, ?> copied = (Map<?, ?>) Objects.requireNonNull(other.copy(source, CopyQuota.STANDARD));
    Map.Entry<?, ?> entry = copied.entrySet().iterator().next();
    Class<?> pair = otherLoader.loadClass(Pair.class.getName());
    Class<?> colour = otherLoader.loadClass(Colour.class.getName());
    assertThat(entry.getKey()).isInstanceOf(pair);
    assertThat(pair).isNotSameAs(Pair.class);
    assertThat(pair.getMethod("first").invoke(entry.getKey()))
        .isInstanceOf(colour)
        .hasToString("green");
    assertThat(pair.getMethod("second").invoke(entry.getKey())).isInstanceOf(colour.arrayType());
    assertThat((Set<?>) entry.getValue()).hasOnlyElementsOfType(colour);
  }

  /// Checks the cost of an object: its own size and that of its strings; a null costs nothing.
  @Test
  void anObjectAndItsStringsCostToTheByte() {
    Samples.Address address = new Samples.Address();
    costs(address, 36 + 24 + 2 * 13 + 24 + 2 * 8, 3);
    costs(new Pair(address, new Pair(address, "x")), 126 + 32 + 32 + 26, 6);
    address.street = null;
    costs(address, 36 + 24 + 2 * 8, 2);
    costs(new ArrayList<>(List.of(address, "yz")), 76 + 40 + 16 + 28, 4);
  }

  private void costs(Object source, long bytes, int objects) {
    assertThat(same.copy(source, new CopyQuota(bytes, objects))).isNotNull();
    for (CopyQuota less :
        List.of(new CopyQuota(bytes - 1, objects), new CopyQuota(bytes, objects - 1))) {
      assertThatThrownBy(() -> same.copy(source, less))
          .asInstanceOf(type(CopyRefused.class))
          .returns(Reason.QUOTA, CopyRefused::reason);
    }
  }

  @Test
  void aClassThatTheReceiverDoesNotHaveIsRefused() {
    Copiers none = new Copiers(new ClassLoader(null) {});
    assertThatThrownBy(() -> none.copy(new Pair(1, 2), CopyQuota.STANDARD))
        .asInstanceOf(type(CopyRefused.class))
        .returns(Reason.MISMATCH, CopyRefused::reason);
  }

  @Test
  void noMethodOfTheSendersObjectsRuns() throws Exception {
    Samples.Trap trap = new Samples.Trap();
    Samples.Trap second = new Samples.Trap();
    second.value = 1;
    Object source =
        new ArrayList<>(
            List.of(new HashSet<>(List.of(trap, second)), new TreeSet<>(List.of(trap, second))));
    Samples.Trap.calls = 0;
    List<?> copied = (List<?>) Objects.requireNonNull(other.copy(source, CopyQuota.STANDARD));
    assertThat(Samples.Trap.calls).isZero();
    assertThat(otherLoader.loadClass(Samples.Trap.class.getName()).getField("calls").getInt(null))
        .isPositive();
    assertThat((Set<?>) copied.get(1)).hasSize(2);
  }

  @Test
  void aConstructorOfTheReceiverThatThrowsIsARefusal() {
    Samples.Picky accepted = new Samples.Picky(new ArrayList<>(List.of(1)));
    assertThat(copy(accepted)).isEqualTo(accepted);
    accepted.list().clear();
    assertThatThrownBy(() -> copy(accepted))
        .hasCauseInstanceOf(IllegalArgumentException.class)
        .asInstanceOf(type(CopyRefused.class))
        .returns(Reason.RECEIVER, CopyRefused::reason);
  }

  @Test
  void aSenderThatWritesDuringTheCopyIsRefusedOrCopied() throws Exception {
    List<Integer> list = new ArrayList<>();
    Map<Integer, Integer> map = new HashMap<>();
    Thread writer =
        new Thread(() -> {
          for (int i = 0; !Thread.interrupted(); i++) {
            list.add(i);
            map.put(i & 1023, i);
            if (list.size() > 2000) {
              list.clear();
              map.clear();
            }
          }
        });
    writer.start();
    CopyQuota quota = new CopyQuota(60_000, 2500);
    int copied = 0;
    try {
      for (int i = 0; i < 5000; i++) {
        try {
          Pair pair = (Pair) Objects.requireNonNull(same.copy(new Pair(list, map), quota));
          List<?> first = (List<?>) Objects.requireNonNull(pair.first());
          Map<?, ?> second = (Map<?, ?>) Objects.requireNonNull(pair.second());
          assertThat(first.size() + second.size()).isLessThanOrEqualTo(2500);
          copied++;
        } catch (CopyRefused e) {
          assertThat(e.reason()).isIn(Reason.CHANGED, Reason.QUOTA);
        }
      }
    } finally {
      writer.interrupt();
      writer.join();
    }
    assertThat(copied).isPositive();
  }
}
