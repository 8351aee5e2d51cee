package sluice.host.life;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AbsentModulesTest {
  @TempDir Path directory;
  private Path list = Path.of("");

  @BeforeEach
  void aList() throws IOException {
    list = directory.resolve("absent-packages.txt");
    Files.writeString(
        list, "java.sql java.sql\njavax.sql java.sql\njavax.sql.rowset java.sql.rowset\n");
  }

  @Test
  void theModuleOfAMissingClassIsNamed() {
    assertThat(AbsentModules.why(new NoClassDefFoundError("java/sql/Connection"), list))
        .startsWith("it uses java.sql.Connection of module java.sql, which the runtime ");
    assertThat(AbsentModules.why(new ClassNotFoundException("javax.sql.rowset.Joinable"), list))
        .contains("module java.sql.rowset");
  }

  @Test
  void whatElseIsMissingIsNot() {
    assertThat(AbsentModules.why(new NoClassDefFoundError("com/acme/Part"), list)).isNull();
    assertThat(AbsentModules.why(new NoClassDefFoundError("Part"), list)).isNull();
    assertThat(AbsentModules.why(new NoClassDefFoundError(), list)).isNull();
    assertThat(AbsentModules.why(new IllegalStateException("java.sql.Connection"), list)).isNull();
    assertThat(AbsentModules.why(null, list)).isNull();
    assertThat(AbsentModules.why(new NoClassDefFoundError("java/sql/X"), directory.resolve("no")))
        .isNull();
  }
}
