package sluice.cli.domain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// How `sluice domain replace` asks the process of a domain, and how that answers: by two files
/// beside its counters, where only the user's processes may write. Stateless.
final class ReplaceRequest {
  /// What stands before the domain's name in the name of the file that asks.
  static final String ASKED = ".replace.";

  /// What an answer begins with if the domain was replaced.
  static final String DONE = "was replaced";

  private static final String ANSWERED = ".answer";

  /// Replaces a domain.
  interface Action {
    /// @return the answer, one line
    String run();
  }

  private ReplaceRequest() {}

  static Path answerTo(Path request) {
    return request.resolveSibling(request.getFileName() + ANSWERED);
  }

  /// By the process of the domain: answers, if the file is there.
  static void answer(Path request, Action action) throws IOException {
    if (!Files.exists(request)) {
      return;
    }
    String answer = action.run();
    Path half = request.resolveSibling(request.getFileName() + ".half");
    Files.writeString(half, answer, StandardCharsets.UTF_8);
    Files.move(half, answerTo(request), StandardCopyOption.ATOMIC_MOVE);
    Files.deleteIfExists(request);
  }
}
