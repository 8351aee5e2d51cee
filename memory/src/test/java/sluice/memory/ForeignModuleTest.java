package sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.sys.NativeMemory;

/// Tests the types that are accessible to a module outside of the trusted ones: it can use
/// revocable references, but no block, region or raw segment. The test compiles code of such a
/// module and expects errors.
@Timeout(120)
final class ForeignModuleTest {
  private static final String NAMES_A_BLOCK =
      """
      package foreign;
      final class Code {
        static long address(sluice.memory.block.Block block) {
          return block.segment().address();
        }
      }
      """;

  private static final String GETS_A_BLOCK =
      """
      package foreign;
      final class Code {
        static Object segment(trusted.Leak leak) {
          var block = leak.block();
          return block.segment();
        }
      }
      """;

  private static final String MAKES_A_BLOCK =
      """
      package foreign;
      final class Code extends sluice.memory.block.PooledBlock {
        Code(java.lang.foreign.MemorySegment any) {
          super(any, 1);
          revive();
        }
      }
      """;

  private static final String USES_REFERENCES =
      """
      package foreign;
      final class Code {
        static void use(sluice.memory.Memory memory, sluice.memory.View view) {
          memory.asReadOnly().slice(0, 1).get(0);
          view.get(0);
        }
      }
      """;

  private static final String LEAK =
      """
      package trusted;
      public interface Leak {
        sluice.memory.block.Block block();
      }
      """;

  @TempDir Path directory;

  @Test
  void referencesCanBeUsed() throws Exception {
    assertThat(compile(USES_REFERENCES, "")).isEmpty();
  }

  @Test
  void aBlockCannotBeNamed() throws Exception {
    assertThat(compile(NAMES_A_BLOCK, ""))
        .contains("package sluice.memory.block is not visible")
        .contains("does not export it to module foreign");
  }

  @Test
  void norUsedWithoutItsName() throws Exception {
    assertThat(compile(GETS_A_BLOCK, ""))
        .contains("Block.segment() in package sluice.memory.block is not accessible");
  }

  @Test
  void norMade() throws Exception {
    assertThat(compile(MAKES_A_BLOCK, "")).contains("sluice.memory.block is not visible");
  }

  /// Checks that nothing but the missing export is in the way: with the export, the same code
  /// compiles.
  @Test
  void aTrustedModuleCan() throws Exception {
    String export = "sluice.memory/sluice.memory.block=foreign";
    assertThat(compile(NAMES_A_BLOCK, export)).isEmpty();
    assertThat(compile(GETS_A_BLOCK, export)).isEmpty();
    assertThat(compile(MAKES_A_BLOCK, export)).isEmpty();
  }

  /// Compiles code in the foreign module.
  ///
  /// @param export one more exported package, or empty
  /// @return the output of the compiler, empty if there is no error
  private String compile(String code, String export) throws Exception {
    String ofTrusted = "sluice.memory/sluice.memory.block=trusted";
    source("trusted", "module trusted { requires sluice.memory; exports trusted; }", "Leak", LEAK);
    String foreign = "module foreign { requires sluice.memory; requires trusted; }";
    source("foreign", foreign, "Code", code);
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--module-path",
                place(Memory.class) + File.pathSeparator + place(NativeMemory.class)));
    arguments.addAll(List.of("--module-source-path", directory.resolve("src").toString()));
    arguments.addAll(List.of("-d", directory.resolve("classes").toString(), "-proc:none"));
    arguments.addAll(List.of("--add-exports", ofTrusted));
    if (!export.isEmpty()) {
      arguments.addAll(List.of("--add-exports", export));
    }
    arguments.addAll(List.of("--module", "foreign,trusted"));
    StringWriter said = new StringWriter();
    PrintWriter writer = new PrintWriter(said);
    int status =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(writer, writer, arguments.toArray(String[]::new));
    writer.flush();
    assertThat(status == 0).as(said.toString()).isEqualTo(!said.toString().contains("error:"));
    return status == 0 ? "" : said.toString();
  }

  private void source(String module, String info, String name, String code) throws IOException {
    Path root = directory.resolve("src").resolve(module);
    Files.createDirectories(root.resolve(module));
    Files.writeString(root.resolve("module-info.java"), info);
    Files.writeString(root.resolve(module).resolve(name + ".java"), code);
  }

  /// Returns the location from which a class of this project was loaded.
  private static Path place(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
