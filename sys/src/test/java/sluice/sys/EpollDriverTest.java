package sluice.sys;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class EpollDriverTest {
  private static final long SECOND = 1_000_000_000L;

  private final EpollEvents events = new EpollEvents(8);
  private EpollDriver driver;
  private EventFd file;

  @BeforeEach
  void open() throws SysException {
    driver = EpollDriver.open();
    file = EventFd.open(true);
  }

  @AfterEach
  void close() {
    driver.close();
    file.close();
  }

  private int await() {
    return driver.epoll().await(events, 0);
  }

  private void assertReports(long data) {
    assertThat(driver.epoll().await(events, 60 * SECOND)).isOne();
    assertThat(events.data(0)).isEqualTo(data);
  }

  @Test
  void wakeUpsBetweenTwoWaitsAreReportedOnceAndNeedNoRead() {
    assertThat(await()).isZero();
    driver.wake();
    driver.wake();
    assertReports(EpollDriver.WAKE);
    assertThat(await()).isZero();
    driver.wake();
    assertReports(EpollDriver.WAKE);
    assertThat(driver.controls()).isZero();
  }

  @Test
  void aWakeUpEndsAWaitThatIsUnderWay() throws InterruptedException {
    Thread waker =
        Thread.ofPlatform()
            .start(() -> {
              try {
                // usually the wait has begun by then; the outcome is the same if not
                Thread.sleep(20);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              driver.wake();
            });
    assertReports(EpollDriver.WAKE);
    waker.join();
  }

  @Test
  void whatIsAddedTwiceIsChanged() {
    assertThat(driver.add(file.fd(), Epoll.EPOLLIN, 1)).isZero();
    assertThat(driver.add(file.fd(), Epoll.EPOLLIN, 2)).isZero();
    file.signal();
    assertReports(2);
    assertThat(driver.arm(false, file.fd(), Epoll.EPOLLIN, 3)).isZero();
    assertReports(3);
    assertThat(driver.controls()).isEqualTo(5);
  }

  @Test
  void whatTheKernelHasLostIsAddedAgain() {
    file.signal();
    assertThat(driver.change(file.fd(), Epoll.EPOLLIN, 1)).isEqualTo(-Errno.ENOENT);
    assertThat(driver.arm(true, file.fd(), Epoll.EPOLLIN, 2)).isZero();
    assertReports(2);
    assertThat(driver.arm(true, file.fd(), Epoll.EPOLLIN, 3)).isZero();
    assertReports(3);
    assertThat(driver.remove(file.fd())).isZero();
    assertThat(driver.remove(file.fd())).isEqualTo(-Errno.ENOENT);
    assertThat(await()).isZero();
  }

  @Test
  void otherAnswersAreTheUsers() {
    int fd = file.fd();
    file.close();
    assertThat(driver.arm(true, fd, Epoll.EPOLLIN, 1)).isEqualTo(-Errno.EBADF);
    assertThat(driver.arm(false, fd, Epoll.EPOLLIN, 1)).isEqualTo(-Errno.EBADF);
    assertThat(driver.controls()).isEqualTo(2);
  }

  @Test
  void aRenewedSetIsWokenAndHoldsNothing() throws SysException {
    driver.add(file.fd(), Epoll.EPOLLIN, 1);
    file.signal();
    int before = driver.epoll().fd();
    driver.renew();
    assertThat(driver.epoll().fd()).isNotEqualTo(before);
    driver.epoll().await(events, 0); // earlier edges of the counter may be reported once more
    assertThat(await()).isZero();
    driver.wake();
    assertReports(EpollDriver.WAKE);
    assertThat(driver.change(file.fd(), Epoll.EPOLLIN, 1)).isEqualTo(-Errno.ENOENT);
  }

  @Test
  void aClosedOneRefuses() {
    driver.close();
    driver.close();
    driver.wake();
    assertThat(driver.add(file.fd(), Epoll.EPOLLIN, 1)).isEqualTo(-Errno.EBADF);
    assertThat(await()).isEqualTo(-Errno.EBADF);
  }
}
