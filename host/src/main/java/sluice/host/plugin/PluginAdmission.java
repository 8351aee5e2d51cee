package sluice.host.plugin;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.domain.Domain;
import sluice.domain.DomainEnded;
import sluice.domain.inside.Death;
import sluice.http.plugin.ViewPlugin;
import sluice.loop.verdict.Verdict;
import sluice.sys.threads.Uninterrupted;
import sluice.verify.Bound;
import sluice.verify.ClassFiles;
import sluice.verify.Component;
import sluice.verify.CostTable;
import sluice.verify.Limits;
import sluice.verify.Refusal;
import sluice.verify.Verification;
import sluice.verify.Verifier;

/// Decides whether a plug-in may run on the threads of the loops. This requires that its work is
/// bounded and that all classes that it uses are initialized. Only one thread may admit the
/// plug-in, but any thread may query the result.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | admitted, verdict | the thread that admits | volatile | volatile, the verdict first |
final class PluginAdmission {
  /// The maximum length of a request, including its body, that a plug-in may process on a loop's
  /// thread.
  static final int MOST_REQUEST_BYTES = 4096;

  /// The maximum bound on the bytecodes of one call, for a request of the maximum length.
  static final long MOST_BYTECODES = 2_000_000;

  /// The maximum number of bytes that one call may allocate.
  static final long MOST_BYTES = 4 << 20;

  private static final String METHOD =
      "handle(Lsluice/http/plugin/ViewRequest;Lsluice/http/plugin/ViewReply;)V";

  private final Object plugin;
  private final Path jar;
  private final Domain domain;
  private volatile Verdict verdict = Verdict.TRANSLATED;
  private volatile @Nullable ViewPlugin admitted;

  /// Creates an admission that has not admitted the plug-in yet.
  ///
  /// @param plugin the plug-in, which can be admitted only if it is a [ViewPlugin]
  PluginAdmission(Object plugin, Path jar, Domain domain) {
    this.plugin = plugin;
    this.jar = jar;
    this.domain = domain;
  }

  /// Returns the plug-in if it may run on a loop's thread, or null otherwise.
  @Nullable ViewPlugin admitted() {
    return admitted;
  }

  Verdict verdict() {
    return verdict;
  }

  /// Verifies the plug-in and all classes of its jar, and initializes the classes that it uses on a
  /// thread of the domain.
  ///
  /// @param atMost the timeout for the initializers
  /// @return null if the plug-in was admitted or is not a [ViewPlugin], otherwise the reason for
  ///   the refusal in one line
  @Nullable String admit(Duration atMost) throws IOException {
    if (!(plugin instanceof ViewPlugin views)) {
      return null;
    }
    if (!domain.admitsCallers()) {
      return "only threads of its domain may run its code";
    }
    Component classes = new Component();
    ClassFiles.read(jar, classes::add);
    Verification.Entry found =
        Verifier.entry(
            classes,
            CostTable.standard(),
            new Limits(MOST_REQUEST_BYTES, MOST_BYTECODES),
            plugin.getClass().getName(),
            METHOD);
    String why = why(found);
    if (why.isEmpty()) {
      why = initialize(found.uses(), atMost);
    }
    Bound bound = found.verdict().bound();
    if (!why.isEmpty() || bound == null) {
      return why;
    }
    verdict = Verdict.verified(bound.bytecodes(), bound.bytes());
    admitted = views;
    return null;
  }

  private static String why(Verification.Entry found) {
    Refusal refusal = found.verdict().refusal();
    Bound bound = found.verdict().bound();
    if (refusal != null || bound == null) {
      return "the verifier finds no bound for its handle"
          + (refusal == null ? "" : ", line " + refusal.line() + ": " + refusal.why());
    }
    return bound.bytes() > MOST_BYTES
        ? "one call may allocate " + bound.bytes() + " bytes, and at most " + MOST_BYTES + " may"
        : "";
  }

  private String initialize(List<String> names, Duration atMost) {
    CountDownLatch done = new CountDownLatch(1);
    String[] failed = {""};
    try {
      domain.start(
          "initialize-" + domain.name(),
          () -> {
            try {
              failed[0] = initialize(names);
            } finally {
              done.countDown();
            }
          });
    } catch (IllegalStateException | DomainEnded e) {
      return "its classes cannot be initialized: " + e.getMessage();
    }
    boolean isDone = Uninterrupted.await(atMost, nanos -> done.await(nanos, TimeUnit.NANOSECONDS));
    return isDone ? failed[0] : "an initializer did not end within " + atMost.toSeconds() + " s";
  }

  /// Initializes classes on a thread of the domain.
  private String initialize(List<String> names) {
    for (String name : names) {
      try {
        Class.forName(name, true, domain.loader());
      } catch (Death e) {
        throw e;
      } catch (Throwable e) { // an initializer may throw anything
        return "class " + name + " cannot be initialized: " + ThrownText.of(e);
      }
    }
    return domain.alive() ? "" : "its domain has ended";
  }
}
