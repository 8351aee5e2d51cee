package sluice.sys.threads;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.Errno;

/// Tests that bound threads stay on their processors.
@Timeout(60)
final class AffinityTest {
  private static String allowed() throws Exception {
    List<String> status = Files.readAllLines(Path.of("/proc/thread-self/status"));
    String name = "Cpus_allowed_list:";
    return status.stream()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(name.length()).strip())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aThreadStaysWhereItIsBoundAndOthersAreFree() throws Exception {
    String before = allowed();
    int first = Integer.parseInt(before.split("[-,]", 2)[0]);
    List<String> seen = new ArrayList<>();
    Thread thread =
        Thread.ofPlatform()
            .start(() -> {
              seen.add("result " + Affinity.bind(first));
              try {
                seen.add(allowed());
              } catch (Exception e) {
                seen.add(e.toString());
              }
            });
    thread.join();
    assertThat(seen).containsExactly("result 0", Integer.toString(first));
    assertThat(allowed()).isEqualTo(before);
  }

  @Test
  void whereItMayNotRunNothingChanges() throws Exception {
    String before = allowed();
    assertThat(Affinity.bind(-1)).isEqualTo(-Errno.EINVAL);
    assertThat(Affinity.bind(8191)).isEqualTo(-Errno.EINVAL);
    assertThat(Affinity.bind(8192)).isEqualTo(-Errno.EINVAL);
    assertThat(allowed()).isEqualTo(before);
  }
}
