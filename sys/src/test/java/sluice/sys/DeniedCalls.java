package sluice.sys;

import java.util.List;
import sluice.sys.uring.IoUringProbe;

/// A program that denies itself the use of io_uring and reports the consequences; run by
/// [SystemTest].
///
/// Everything happens on the main thread, except for one ring that is opened on another thread.
final class DeniedCalls {
  private DeniedCalls() {}

  public static void main(String[] arguments) throws Exception {
    Thread early =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              while (IoUringProbe.run().available()) {
                Thread.onSpinWait();
              }
            });
    Seccomp.deny(List.of("io_uring_setup", "cachestat"));
    early.join();
    IoUringProbe probe = IoUringProbe.run();
    SysException why = probe.whyNot();
    System.out.println(probe.available() + " " + (why == null ? "" : why.errnoName()));
    System.out.println(why == null ? "" : why.fix());
    System.out.println(Files.cachestat(0, 0, 0, new CacheStat()));
    try (Epoll epoll = Epoll.create()) {
      System.out.println(epoll.await(new EpollEvents(1), 0));
    }
    System.out.println(SystemInfo.seccompFiltered());
  }
}
