package sluice.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.sys.call.Arch;
import sluice.testbase.Child;

/// Compares layouts, call numbers and constants with the headers of both architectures.
@Timeout(240)
class AbiTest {
  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(names = {"X86_64", "AARCH64"})
  void numbersAreThoseOfTheHeaders(Arch arch) throws Exception {
    String compiler = compiler(arch);
    AbiProbe probe = AbiProbe.of(arch);
    assertThat(probe.assertions()).isGreaterThan(500);
    assertThat(compile(compiler, probe.text())).isEmpty();
  }

  @Test
  void numbersOfLibfabricAreThoseOfItsHeaders() throws Exception {
    assumeTrue(works("gcc"), "no C compiler: apt-get install gcc libc6-dev");
    assumeTrue(
        compile("gcc", "#include <rdma/fi_tagged.h>\n").isEmpty(),
        "no headers of libfabric: apt-get install libfabric-dev");
    AbiProbe probe = AbiProbe.ofFabric();
    assertThat(probe.assertions()).isGreaterThan(250);
    assertThat(compile("gcc", probe.text())).isEmpty();
    String member = "offsetof(struct fi_info, tx_attr)) == ";
    assertThat(compile("gcc", probe.text().replace(member, member + "1"))).contains("tx_attr");
  }

  @Test
  void aWrongNumberIsFound() throws Exception {
    String compiler = compiler(Arch.current());
    String wrong =
        AbiProbe.of(Arch.current()).text().replace("(__NR_read) == ", "(__NR_read) == 1");
    assertThat(compile(compiler, wrong)).contains("__NR_read");
  }

  private String compile(String compiler, String source) throws Exception {
    Path file = directory.resolve("probe.c");
    java.nio.file.Files.writeString(file, source);
    return run(List.of(compiler, "-std=gnu11", "-c", "-o", "/dev/null", file.toString()));
  }

  /// Finds the compiler of an architecture. If it is missing, skips the test with a message that
  /// says what to install.
  private String compiler(Arch arch) throws Exception {
    String machine = arch == Arch.AARCH64 ? "aarch64" : "x86_64";
    String cross = machine + "-linux-gnu-gcc";
    String missing =
        "no C compiler for "
            + machine
            + " with kernel headers of 6.1 or later: apt-get install "
            + (arch == Arch.AARCH64
                ? "gcc-aarch64-linux-gnu linux-libc-dev-arm64-cross"
                : "gcc-x86-64-linux-gnu linux-libc-dev-amd64-cross")
            + (arch == Arch.current() ? ", or gcc libc6-dev" : "");
    if (arch == Arch.current() && works("gcc")) {
      return "gcc";
    }
    assumeTrue(works(cross), missing);
    return cross;
  }

  private boolean works(String compiler) throws Exception {
    String source =
        """
        #include <stddef.h>
        #include <sys/socket.h>
        #include <linux/version.h>
        #if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
        #error old headers
        #endif
        """;
    try {
      return compile(compiler, source).isEmpty();
    } catch (IOException notInstalled) {
      return false;
    }
  }

  /// Runs a command.
  ///
  /// @return its output if it failed, otherwise an empty string
  private static String run(List<String> command) throws IOException, InterruptedException {
    Child child = Child.run(new ProcessBuilder(command));
    return child.exit() == 0 ? "" : "failed: " + child.output();
  }
}
