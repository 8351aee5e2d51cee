package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.cli.SourceTree.SourceFile;

/// Tests which files of a directory belong to the project.
final class SourceTreeTest {
  @TempDir private Path root;

  @Test
  void whatGitIgnoresIsNotPartOfTheProject() throws IOException {
    write(".gitignore", "target/\n.cifuzz-corpus/\n*.log\nhs_err_pid*\n");
    write("net/src/Stack.java", "class Stack {}");
    write("net/target/Generated.java", "class Generated {}");
    write("net/.cifuzz-corpus/fragments/8ddf", "noise");
    write("net/run.log", "noise");
    write("hs_err_pid17.txt", "noise");
    assertThat(new SourceTree(root).files().stream().map(SourceFile::path))
        .containsExactlyInAnyOrder(".gitignore", "net/src/Stack.java");
  }

  private void write(String name, String text) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
