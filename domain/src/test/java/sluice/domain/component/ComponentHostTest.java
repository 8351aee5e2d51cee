package sluice.domain.component;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.domain.DomainConfig;
import sluice.domain.portal.Party;
import sluice.testbase.Await;

@Timeout(60)
final class ComponentHostTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  /// The program outside of all domains, which has only the interfaces.
  private record Outside(ClassLoader loader) implements Party {
    @Override
    public String name() {
      return "outside";
    }

    @Override
    public boolean alive() {
      return true;
    }

    @Override
    public void onEnd(Runnable task) {}
  }

  @TempDir Path directory;
  private Shelf shelf;
  private List<Component> shop = List.of();
  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeEach
  void fill() throws IOException {
    shelf = new Shelf(directory);
    shop = shelf.shop();
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  private static Placement place(String domain, String... components) {
    return new Placement(
        DomainConfig.of(domain + "-" + NUMBERS.incrementAndGet()), List.of(components));
  }

  private ComponentHost start(Placement... placements) throws Exception {
    ComponentHost host = ComponentHost.start(ComponentGraph.of(shop), List.of(placements), LIMIT);
    open.add(host);
    return host;
  }

  private Object till(ComponentHost host) throws Exception {
    URLClassLoader loader =
        new URLClassLoader(
            new URL[] {directory.resolve("till-api.jar").toUri().toURL()},
            ClassLoader.getPlatformClassLoader());
    open.add(loader);
    return host.service(new Outside(loader), loader.loadClass("till.Till"));
  }

  private static long sum(Object till) throws Exception {
    for (Class<?> each : till.getClass().getInterfaces()) {
      Method method = each.getMethod("sum", List.class);
      return (long) method.invoke(till, List.of("pear", "fig"));
    }
    throw new AssertionError("no interface");
  }

  @Test
  void componentsAreTogetherOrApartByConfigurationOnly() throws Exception {
    ComponentHost together = start(place("one", "till", "prices"));
    assertThat(sum(till(together))).isEqualTo(14);
    ComponentHost apart = start(place("till", "till"), place("prices", "prices"));
    assertThat(sum(till(apart))).isEqualTo(14);
  }

  @Test
  void theReferenceIsPlainTogetherAndAPortalApart() throws Exception {
    Placement one = place("one", "till", "prices");
    Placement till = place("till", "till");
    assertThat(pricesOf(start(one), one)).isEqualTo("shop.impl.PriceList");
    assertThat(pricesOf(start(till, place("prices", "prices")), till)).startsWith("sluice.proxy.");
  }

  private static String pricesOf(ComponentHost host, Placement placement) throws Exception {
    Object till = host.objectOf(placement.config().name(), "till");
    return (String) till.getClass().getMethod("kind").invoke(till);
  }

  /// The sums of a pear (4) and a fig (3), each at one of the factors 2, 3 and 4. A sum is two
  /// calls, between which the prices may be replaced.
  private static final List<Long> SUMS = List.of(14L, 17L, 20L, 18L, 21L, 24L, 22L, 25L, 28L);

  @Test
  void isReplacedUnderLoadWithNoFailedCall() throws Exception {
    Placement prices = place("prices", "prices");
    ComponentHost host = start(place("till", "till"), prices);
    Object till = till(host);
    AtomicInteger calls = new AtomicInteger();
    AtomicReference<Throwable> failed = new AtomicReference<>();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      callers.add(
          Thread.ofVirtual()
              .start(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                  try {
                    assertThat(sum(till)).isIn(SUMS);
                    calls.incrementAndGet();
                  } catch (Throwable e) {
                    failed.compareAndSet(null, e);
                    return;
                  }
                }
              }));
    }
    Path jar = directory.resolve("prices.jar");
    for (int factor = 3; factor < 9; factor++) {
      int before = calls.get();
      Await.until("calls", () -> calls.get() > before + 20 || failed.get() != null);
      shelf.jar(jar, List.of(directory.resolve("shop-api.jar")), Shelf.priceList(2 + factor % 3));
      assertThat(host.replace(prices.config().name())).isTrue();
      assertThat(sum(till)).isEqualTo(7L * (2 + factor % 3));
    }
    int before = calls.get();
    Await.until("calls", () -> calls.get() > before + 20 || failed.get() != null);
    assertThat(failed.get()).isNull();
    for (Thread each : callers) {
      each.interrupt();
      each.join();
    }
  }

  @Test
  void whatIsNotCompatibleStaysOut() throws Exception {
    Placement prices = place("prices", "prices");
    ComponentHost host = start(place("till", "till"), prices);
    Object till = till(host);
    Path api = directory.resolve("shop-api.jar");
    byte[] old = Files.readAllBytes(api);
    String list = Shelf.priceList(5).replace("article, cents(article)", "article");
    shelf.jar(api, List.of(), Shelf.API, "package shop; public record Offer(String article) {}");
    shelf.jar(directory.resolve("prices.jar"), List.of(api), list);
    assertThatThrownBy(() -> host.replace(prices.config().name()))
        .isInstanceOf(ComponentRefused.class)
        .hasMessageContainingAll("component shop-api", "class shop.Offer", "JLS 13.4.27", "Fix: ");
    assertThat(sum(till)).isEqualTo(14);
    Files.write(api, old);
    shelf.jar(
        directory.resolve("prices.jar"),
        List.of(api),
        Shelf.priceList(5).replace("PriceList() {", "PriceList() { if (true) throw null;"));
    assertThatThrownBy(() -> host.replace(prices.config().name()))
        .isInstanceOf(ComponentRefused.class)
        .hasMessageContaining("the constructor of shop.impl.PriceList threw");
    assertThat(sum(till)).isEqualTo(14);
    shelf.jar(directory.resolve("prices.jar"), List.of(api), Shelf.priceList(5));
    assertThat(host.replace(prices.config().name())).isTrue();
    assertThat(sum(till)).isEqualTo(35);
  }

  /// Adds a price list to the shelf whose constructor reports that it has begun and then waits for
  /// a file.
  private Path waitingList() throws IOException {
    Path go = directory.resolve("go");
    String waiting =
        """
        PriceList() throws Exception {
          java.nio.file.Files.createFile(java.nio.file.Path.of("%s"));
          while (!java.nio.file.Files.exists(java.nio.file.Path.of("%s"))) { Thread.sleep(1); }
        """
            .formatted(directory.resolve("began"), go);
    shelf.jar(
        directory.resolve("prices.jar"),
        List.of(directory.resolve("shop-api.jar")),
        Shelf.priceList(3).replace("PriceList() {", waiting));
    return go;
  }

  private FutureTask<Boolean> replacing(ComponentHost host, String domain) {
    FutureTask<Boolean> replace = new FutureTask<>(() -> host.replace(domain));
    Thread.ofPlatform().daemon().start(replace);
    Path began = directory.resolve("began");
    Await.until("the constructor", () -> Files.exists(began) || replace.isDone());
    return replace;
  }

  @Test
  void aConstructorThatWaitsHoldsUpNothingElse() throws Exception {
    Placement prices = place("prices", "prices");
    Placement placedTill = place("till", "till");
    ComponentHost host = start(placedTill, prices);
    Object till = till(host);
    String name = prices.config().name();
    Path go = waitingList();
    FutureTask<Boolean> replace = replacing(host, name);
    assertThat(sum(till)).isEqualTo(14);
    assertThat(host.problem()).isNull();
    assertThat(host.domain(name).name()).isEqualTo(name);
    for (String each : host.domains()) {
      assertThatThrownBy(() -> host.replace(each))
          .isInstanceOf(ComponentRefused.class)
          .hasMessageContainingAll("domain " + each, name + " is being replaced", "Fix: ");
    }
    assertThat(replace.isDone()).isFalse();
    Files.createFile(go);
    assertThat(replace.get()).isTrue();
    assertThat(sum(till)).isEqualTo(21);
    assertThat(host.replace(placedTill.config().name())).isTrue();
  }

  @Test
  void aHostIsClosedWhileAConstructorWaits() throws Exception {
    Placement prices = place("prices", "prices");
    ComponentHost host = start(place("till", "till"), prices);
    waitingList();
    FutureTask<Boolean> replace = replacing(host, prices.config().name());
    host.close();
    assertThatThrownBy(replace::get).hasCauseInstanceOf(ComponentRefused.class);
    assertThatThrownBy(() -> host.replace(prices.config().name()))
        .isInstanceOf(ComponentRefused.class)
        .hasMessageContaining("its components were closed");
  }

  @Test
  void placesAreChecked() {
    assertThatThrownBy(() -> start(place("one", "till")))
        .isInstanceOf(ComponentRefused.class)
        .hasMessageContaining("component prices");
    assertThatThrownBy(() -> start(place("one", "till", "prices"), place("two", "prices")))
        .isInstanceOf(ComponentRefused.class)
        .hasMessageContaining("it is in the domains");
  }

  @Test
  void aClosedHostLeavesNothing() throws Exception {
    Placement one = place("one", "till", "prices");
    ComponentHost host = start(one);
    sluice.domain.Domain domain = host.domain(one.config().name());
    Object till = till(host);
    host.close();
    assertThat(domain.awaitEnd(LIMIT)).isTrue();
    assertThatThrownBy(() -> sum(till)).hasCauseInstanceOf(sluice.domain.portal.PartyEnded.class);
  }
}
