package sluice.bench.vi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.bench.run.Workspace;
import sluice.testbase.Await;
import sluice.vi.Nic;
import sluice.vi.Vi;
import sluice.vi.ViAddress;
import sluice.vi.ViAttributes;
import sluice.vi.ViServer;

/// The ends of `bench vi`, in Java and in C.
@Timeout(240)
final class ViBenchTest {
  @Test
  void casesHaveNamesOfTheirOwn() {
    List<ViCase> all = ViCase.all();
    assertThat(all.stream().map(ViCase::name).distinct().count()).isEqualTo(all.size());
    assertThat(all).allMatch(each -> each.systems().getFirst().startsWith("sluice/"));
    assertThat(all.stream().anyMatch(ViCase::quick)).isTrue();
  }

  private interface Maker {
    ViEnd of(Vi vi) throws Exception;
  }

  @ParameterizedTest
  @ValueSource(strings = {"one", "two", "pins"})
  void endsCarryTheFirstByte(String kind) throws Exception {
    Maker maker =
        vi -> kind.equals("one") ? new ViLevelOne(vi) : new ViLevelTwo(vi, kind.equals("pins"));
    ViAttributes attributes = ViAttributes.DEFAULT.withTransferBytes(ViCase.MOST_BYTES);
    try (Nic nic = Nic.open("local");
        ExecutorService thread = Executors.newSingleThreadExecutor()) {
      ViAddress place = nic.address("bench-test-" + ProcessHandle.current().pid() + kind);
      try (ViServer server = new ViServer(place, 1)) {
        Future<Vi> accepted = thread.submit(() -> server.accept(attributes, Vi.INFINITE));
        try (ViEnd client = maker.of(new Vi(place, attributes, null, null, 1));
            ViEnd other = maker.of(accepted.get(Await.SECONDS, TimeUnit.SECONDS))) {
          for (int i = 0; i < 3 * ViEnd.WINDOW; i++) {
            client.send(1 + i * 100, (byte) i);
            assertThat(other.receive()).isEqualTo((byte) i);
            other.send(4, (byte) -i);
            other.done();
            assertThat(client.receive()).isEqualTo((byte) -i);
            client.done();
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"unix", "socket"})
  void thePeerInCObeys(String provider, @TempDir Path folder) throws Exception {
    try (Workspace workspace = Workspace.open()) {
      String program = workspace.viSocketPeer().toString();
      String place = folder.resolve("p").toString();
      Process server = new ProcessBuilder(program, "server", provider, place).start();
      Await.limit(server);
      try (BufferedReader fromServer = server.inputReader()) {
        assertThat(fromServer.readLine()).isEqualTo("ready");
        Process client = new ProcessBuilder(program, "client", provider, place).start();
        Await.limit(client);
        try (BufferedReader fromClient = client.inputReader();
            Writer toServer = server.outputWriter();
            Writer toClient = client.outputWriter()) {
          assertThat(fromClient.readLine()).isEqualTo("ready");
          for (String command : List.of("rtt 64 20\n", "stream 4096 20\n")) {
            toServer.write(command);
            toServer.flush();
            toClient.write(command);
            toClient.flush();
            assertThat(fromClient.readLine()).startsWith("ok ns_per_call=").contains("mb_per_s=");
            assertThat(fromServer.readLine()).isEqualTo("ok served=1");
          }
        }
        assertThat(Await.end(client)).isZero();
      }
      assertThat(Await.end(server)).isZero();
      assertThat(Files.exists(folder)).isTrue();
    }
  }
}
