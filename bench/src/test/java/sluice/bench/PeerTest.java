package sluice.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.bench.cases.PollingShare;
import sluice.bench.run.PollingCalls;
import sluice.bench.server.CannedReply;
import sluice.bench.server.RequestScan;

/// What the Java peers share.
final class PeerTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "GET / HTTP/1.1|H: x||, 1",
    "||||, 2",
    "a|b|c, 0",
    "GET /|||GET /||, 2",
  })
  void requestsEndWithBlankLines(String text, int count) {
    RequestScan scan = new RequestScan();
    int ended = 0;
    for (byte b : text.replace("|", "\r\n").getBytes(US_ASCII)) {
      ended += scan.take(b) ? 1 : 0;
    }
    assertThat(ended).isEqualTo(count);
  }

  @Test
  void strayCarriageReturnsEndNothing() {
    RequestScan scan = new RequestScan();
    int ended = 0;
    for (byte b : "\r\n\r\r\n\n\r\r\n\r\n".getBytes(US_ASCII)) {
      ended += scan.take(b) ? 1 : 0;
    }
    assertThat(ended).isEqualTo(1);
  }

  @Test
  void repliesHaveTheHeadersOfAStaticServer() throws IOException {
    Path file = Files.write(folder.resolve("f"), new byte[] {'h', 'i'});
    String reply =
        new String(CannedReply.of(file).bytes(Instant.ofEpochSecond(784_111_777)), US_ASCII);
    assertThat(reply)
        .startsWith("HTTP/1.1 200 OK\r\n")
        .contains("\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n")
        .contains("\r\nContent-Length: 2\r\n", "\r\nLast-Modified: ", "\r\nETag: \"")
        .endsWith("\r\n\r\nhi");
  }

  @Test
  void perfCountsAreReadFromItsTable() {
    PollingCalls calls =
        PollingCalls.parse(
            """
            # started on x

            4000,,raw_syscalls:sys_enter,99,100.00,,
            100,,syscalls:sys_enter_epoll_ctl,99,100.00,,
            300,,syscalls:sys_enter_epoll_wait,99,100.00,,
            50,,syscalls:sys_enter_io_uring_enter,99,100.00,,
            <not supported>,,io_uring:io_uring_submit_req,0,,,
            """);
    assertThat(calls.metrics(1000, 10))
        .containsEntry("syscalls_per_req", 4.0)
        .containsEntry("epoll_ctl_per_req", 0.1)
        .containsEntry("epoll_ctl_per_ms", 10.0)
        .containsEntry("waits_per_req", 0.35)
        .doesNotContainKey("staged_per_req");
  }

  @Test
  void sharesOfPollingCallsAreReadFromAReport() {
    String report =
        """
        # Children  Command          Symbol
            40.10%  http-nio-127.0.  [k] do_syscall_64
            12.50%  http-nio-127.0.  [k] __x64_sys_epoll_wait
             2.50%  http-nio-127.0.  [k] __x64_sys_epoll_ctl
             9.00%  http-nio-127.0.  [k] __x64_sys_write
             1.50%  main             [k] __arm64_sys_ppoll
             7.00%  worker-3         [k] __x64_sys_poll
        """;
    assertThat(PollingShare.parse(report))
        .containsEntry(PollingShare.CONTROL, 0.025)
        .containsEntry(PollingShare.WAIT, 0.14);
  }
}
