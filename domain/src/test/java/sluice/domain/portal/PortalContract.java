package sluice.domain.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.domain.portal.Shop.Counter;
import sluice.domain.portal.Shop.Listener;
import sluice.domain.portal.Shop.Note;
import sluice.domain.portal.copy.CopyQuota;
import sluice.domain.portal.copy.CopyRefused;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.testbase.Await;

/// The behaviour of a portal, for all call paths.
@Timeout(150) // more than Await waits, which says what for; JUnit only interrupts
abstract class PortalContract {
  private static final ClassLoader SHARED = PortalContract.class.getClassLoader();

  final PlainParty server = new PlainParty("server", SHARED, CopyQuota.STANDARD);
  final PlainParty client = new PlainParty("client", SHARED, CopyQuota.STANDARD);
  final Portals portals = new Portals(path());
  final Shop.Till till = new Shop.Till();
  @Nullable Counter held;

  abstract CallPath path();

  @BeforeEach
  void offer() {
    Shop.entered = new CountDownLatch(1);
    Shop.proceed = new CountDownLatch(1);
    portals.register(server, "till", Counter.class, till, path());
    held = portals.lookup(client, "till", Counter.class).orElseThrow();
  }

  final Counter portal() {
    return Objects.requireNonNull(held);
  }

  @Test
  void primitivesAndStringsPass() {
    assertThat(portal().add(1, 2L, 3.5, true)).isEqualTo(7);
    assertThat(portal().twice("ab")).isEqualTo("abab");
    assertThat(portal().echo(null)).isNull();
  }

  @Test
  void argumentsAndResultsAreCopies() {
    List<Integer> list = Shop.numbers(1, 2);
    List<Integer> grown = portal().grow(list);
    assertThat(list).containsExactly(1, 2);
    assertThat(grown).containsExactly(1, 2, 99).isNotSameAs(till.seen);
    Note note = new Note("x", Shop.numbers(1));
    assertThat(portal().echo(note)).isEqualTo(note).isNotSameAs(note).isNotSameAs(till.seen);
  }

  @Test
  void inTheSamePartyThePortalIsTheObject() {
    assertThat(portals.lookup(server, "till", Counter.class)).containsSame(till);
    assertThat(portals.lookup(client, "till", Counter.class)).containsSame(portal());
  }

  @Test
  void anObjectOfAnInterfaceIsPromotedAndComesHomeAsItself() {
    Listener mine = text -> "heard " + text;
    assertThat(portal().tell(mine, "news")).isEqualTo("heard news");
    assertThat(portal().keep(mine)).isNull();
    assertThat(till.kept).isNotNull().isNotSameAs(mine);
    assertThat(portals.holders(client, mine)).isOne();
    Listener kept = till.kept;
    assertThat(portal().keep(mine)).isSameAs(mine);
    assertThat(till.kept).isSameAs(kept);
    assertThat(portal().echo(List.of(mine))).isEqualTo(List.of(mine));
    assertThat(portal().echo(portal())).isSameAs(portal());
    assertThat(till.seen).isSameAs(till);
  }

  @Test
  void aThirdPartyGetsAPortalOfItsOwn() {
    PlainParty third = new PlainParty("third", SHARED, CopyQuota.STANDARD);
    Listener mine = text -> "client " + text;
    portal().keep(mine);
    Listener kept = till.kept;
    try {
      Counter others = portals.lookup(third, "till", Counter.class).orElseThrow();
      Listener got = Objects.requireNonNull(others.keep(null));
      assertThat(got).isNotSameAs(mine);
      assertThat(got.heard("x")).isEqualTo("client x");
      assertThat(portals.holders(client, mine)).isEqualTo(2);
      third.end();
      assertThat(portals.holders(client, mine)).isOne();
    } finally {
      Reference.reachabilityFence(kept); // a portal that is collected counts no more
    }
  }

  @Test
  void portableExceptionsAreCopiedAndOthersAreRemoteFaults() {
    assertThatThrownBy(() -> portal().fail("closed"))
        .isExactlyInstanceOf(Shop.Closed.class)
        .hasMessage("at noon");
    assertThatThrownBy(() -> portal().fail("io")).isExactlyInstanceOf(IOException.class);
    assertThatThrownBy(() -> portal().fail("deep")).isInstanceOf(StackOverflowError.class);
    assertThatThrownBy(() -> portal().fail("coded"))
        .isInstanceOfSatisfying(
            RemoteFault.class,
            fault -> assertThat(fault.faultClass()).isEqualTo(Shop.Coded.class.getName()))
        .hasMessageEndingWith("lost");
  }

  @Test
  void causesAndWhatWasSuppressedCross() {
    assertThatThrownBy(() -> portal().fail("caused"))
        .isExactlyInstanceOf(IllegalStateException.class)
        .satisfies(top -> {
          assertThat(top.getSuppressed()).singleElement().isInstanceOf(RemoteFault.class);
          Throwable below = Objects.requireNonNull(top.getCause());
          assertThat(below).isExactlyInstanceOf(IOException.class).hasMessage("below");
          assertThat(below.getCause()).isExactlyInstanceOf(Shop.Closed.class).hasMessage("lowest");
          assertThat(below.getSuppressed()).as("a cycle ends").isEmpty();
        });
  }

  @Test
  void aMethodOfVariableArityTakesItsArray() {
    assertThat(portal().join("-")).isEmpty();
    assertThat(portal().join("-", "a")).isEqualTo("a");
    assertThat(portal().join("-", "a", 1, List.of())).isEqualTo("a-1-[]");
  }

  @Test
  void aResultWhoseHashNeverEndsIsRefused() {
    assertThatThrownBy(() -> portal().echo(Shop.nestedSets(60)))
        .isInstanceOf(CopyRefused.class)
        .hasMessageContaining("its hash takes more steps");
    Set<Object> harmless = Set.of(Set.of(Set.of(1, 2), "x"), List.of(Set.of(1, 2)));
    assertThat(portal().echo(harmless)).isEqualTo(harmless);
    assertThatThrownBy(() -> portal().nested(60)).isInstanceOf(CopyRefused.class);
  }

  @Test
  void anExceptionThatThrowsWhenItIsAskedIsARemoteFault() {
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> portal().fail("mute")).isInstanceOf(RemoteFault.class);
    }
    assertThat(portal().twice("ab")).isEqualTo("abab");
  }

  @Test
  void nestedAndReentrantCallsReturn() {
    Listener asksBack = text -> portal().tell(inner -> inner + portal().add(1, 1, 0, false), text);
    assertThat(portal().tell(asksBack, "sum ")).isEqualTo("sum 2");
  }

  @Test
  void theServiceRunsForItsParty() {
    assertThat(portal().party()).isEqualTo("server");
    assertThat(portal().tell(_ -> Portals.current().map(Party::name).orElse("none"), "x"))
        .isEqualTo("client");
    assertThat(Portals.current()).isEmpty();
    assertThatThrownBy(() -> portal().fail("io"));
    assertThat(Portals.current()).isEmpty();
  }

  @Test
  void whatCannotBeCopiedIsRefusedInBothDirections() {
    assertThatThrownBy(() -> portal().echo(Thread.currentThread()))
        .isInstanceOf(CopyRefused.class)
        .hasMessageContaining("java.lang.Thread");
    PlainParty poor = new PlainParty("poor", SHARED, new CopyQuota(100, 5));
    Counter small = portals.lookup(poor, "till", Counter.class).orElseThrow();
    assertThatThrownBy(() -> small.echo(new byte[200]))
        .isInstanceOf(CopyRefused.class)
        .hasMessageContaining("quota of bytes");
    assertThat((byte[]) Objects.requireNonNull(till.seen)).hasSize(200);
    assertThat(small.add(1, 1, 1, true)).isEqualTo(4);
  }

  /// Checks a service that keeps its argument: memory is usable during the call but not afterwards.
  @Test
  void memoryIsLentForTheTimeOfTheCall() {
    Account account = new Account("test", 1 << 16);
    Block block = Objects.requireNonNull(Block.allocate(account, 64));
    Memory memory = Memory.over(block, 0, 64);
    for (int i = 1; i <= 200; i++) {
      assertThat(portal().store(List.of(memory), i)).isEqualTo(i);
      assertThat(memory.getLong(8)).as("the same bytes").isEqualTo(i);
      Memory kept = Objects.requireNonNull(till.memory);
      assertThat(kept.isLive()).isFalse();
      assertThatThrownBy(() -> kept.getLong(8)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> portal().store(List.of(memory), -1))
          .isInstanceOf(IllegalStateException.class);
      Memory ofFailed = Objects.requireNonNull(till.memory);
      assertThatThrownBy(() -> ofFailed.setLong(8, 0)).isInstanceOf(IllegalStateException.class);
    }
    assertThat(memory.getLong(8)).as("the last call wrote it").isEqualTo(-1);
    memory.close();
    assertThatThrownBy(() -> portal().store(List.of(memory), 1)).isInstanceOf(CopyRefused.class);
    block.release();
    Await.until("the bytes to be given back", () -> account.usedBytes() == 0);
  }

  @Test
  void memoryThatItsOwnerRevokesDuringACallIsGoneForTheService() throws Exception {
    Block block = Objects.requireNonNull(Block.allocate(new Account("test", 1 << 16), 64));
    Memory memory = Memory.over(block, 0, 64);
    FutureTask<?> call = start(() -> portal().await(memory));
    Shop.entered.await();
    Memory mine = memory.revokeNow();
    Shop.proceed.countDown();
    assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThat(mine.getLong(0)).as("what came before the revocation").isEqualTo(1);
    mine.close();
    block.release();
  }

  @Test
  void aRevokedPortalEndsAlsoInTheMiddleOfACall() throws Exception {
    FutureTask<?> call = blocked();
    portals.revoke(server, till);
    Shop.proceed.countDown();
    assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
        .hasCauseInstanceOf(PortalRevoked.class);
    assertThatThrownBy(() -> portal().add(1, 1, 1, true)).isInstanceOf(PortalRevoked.class);
    assertThat(portals.lookup(client, "till", Counter.class)).isEmpty();
    portals.register(server, "till", Counter.class, till, path());
    assertThat(portals.lookup(client, "till", Counter.class).orElseThrow().add(1, 1, 1, true))
        .isEqualTo(4);
  }

  @Test
  void callersOfAPartyThatEndsAreToldAlsoInTheMiddleOfACall() throws Exception {
    FutureTask<?> call = blocked();
    server.end();
    Shop.proceed.countDown();
    assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
        .hasCauseInstanceOf(PartyEnded.class)
        .hasMessageContaining("server");
    assertThatThrownBy(() -> portal().twice("x")).isInstanceOf(PartyEnded.class);
    assertThat(portals.lookup(client, "till", Counter.class)).isEmpty();
    assertThatThrownBy(() -> portals.register(server, "t", Counter.class, till, path()))
        .isInstanceOf(PartyEnded.class);
  }

  final FutureTask<?> blocked() throws InterruptedException {
    FutureTask<?> call =
        start(() -> {
          portal().block("told");
          return true;
        });
    Shop.entered.await();
    return call;
  }

  static FutureTask<?> start(Callable<?> work) {
    FutureTask<?> task = new FutureTask<>(work);
    Thread.ofPlatform().daemon().start(task);
    return task;
  }

  @Test
  void anInterruptReachesTheService() throws Exception {
    FutureTask<Boolean> call =
        new FutureTask<>(() -> {
          portal().block("interrupted");
          return true;
        });
    Thread caller = Thread.ofPlatform().daemon().start(call);
    Shop.entered.await();
    caller.interrupt();
    assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
        .cause()
        .isInstanceOfAny(CallCancelled.class, InterruptedException.class);
    Await.until("the interrupt", () -> till.interrupted);
    assertThat(portal().add(1, 1, 1, true)).isEqualTo(4);
  }

  @Test
  void thePortalsOfAPartyEndWithIt() {
    assertThat(portals.holders(server, till)).isOne();
    client.end();
    assertThat(portals.holders(server, till)).isZero();
    portals.unregister(server, "till");
    assertThat(portals.lookup(server, "till", Counter.class)).isEmpty();
  }

  @Test
  void aCollectedPortalReleasesItsService() throws Exception {
    WeakReference<Listener> mine = new WeakReference<>(listener());
    portal().keep(mine.get());
    assertThat(mine.get()).isNotNull();
    till.kept = null;
    Await.until(
        "the collection of the service",
        () -> {
          System.gc();
          return mine.get() == null;
        });
  }

  private static Listener listener() {
    String made = "at " + System.nanoTime();
    return text -> made + text;
  }

  @Test
  void aNameCanBeAwaited() throws Exception {
    FutureTask<?> waiting =
        start(() ->
            portals
                .await(client, "late", Counter.class, TimeUnit.SECONDS.toNanos(30))
                .orElseThrow()
                .add(1, 2, 3, false));
    portals.register(server, "late", Counter.class, new Shop.Till(), path());
    assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(6L);
    assertThat(portals.await(client, "never", Counter.class, 1000)).isEmpty();
    assertThatThrownBy(() -> portals.register(client, "late", Counter.class, till, path()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("taken");
  }

  @Test
  void aPartyWithItsOwnClassesGetsThem() throws Exception {
    ClassLoader own = new OtherLoader(name -> name.startsWith(Shop.class.getName()));
    PlainParty plugin = new PlainParty("plugin", own, CopyQuota.STANDARD);
    Class<?> counter = own.loadClass(Counter.class.getName());
    Class<?> note = own.loadClass(Note.class.getName());
    Object theirs = portals.lookup(plugin, "till", counter).orElseThrow();
    assertThat(theirs).isNotInstanceOf(Counter.class);
    Object made = note.getConstructor(String.class, List.class).newInstance("n", List.of(4));
    Object echoed = counter.getMethod("echo", Object.class).invoke(theirs, made);
    assertThat(till.seen).isEqualTo(new Note("n", List.of(4)));
    assertThat(echoed).isInstanceOf(note).isEqualTo(made);
    assertThatThrownBy(() -> counter.getMethod("fail", String.class).invoke(theirs, "closed"))
        .cause()
        .isInstanceOf(own.loadClass(Shop.Closed.class.getName()));
    assertThatThrownBy(() -> portals.lookup(plugin, "till", Counter.class))
        .isInstanceOf(InterfaceMismatch.class);
  }

  @Test
  void aPartyWithoutTheInterfaceIsRefused() {
    PlainParty bare = new PlainParty("bare", new ClassLoader(null) {}, CopyQuota.STANDARD);
    assertThatThrownBy(() -> portals.lookup(bare, "till", Counter.class))
        .isInstanceOf(InterfaceMismatch.class)
        .hasMessageContaining("Fix:");
  }
}
