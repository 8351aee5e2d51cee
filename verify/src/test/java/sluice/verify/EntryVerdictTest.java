package sluice.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Tests the verdict on a method that a host calls after the initializers have run, and the rules
/// for overriding when classes outside of the component exist.
final class EntryVerdictTest {
  /// A class whose initializer has no bound.
  static final class Words {
    static final byte[] FIRST = Map.of("first", "word").toString().getBytes(StandardCharsets.UTF_8);
    static final List<String> ALL = List.of(new TreeMap<>(Map.of("a", "b")).toString());

    private Words() {}

    static int first() {
      return FIRST[0];
    }
  }

  /// A class that uses the state of classes that are already initialized.
  static class Handler {
    int handle(byte[] data) {
      return data.length + Words.first();
    }

    int callsWhatMayBeOverridden(byte[] data) {
      return handle(data);
    }

    final boolean isPing(byte[] data) {
      return new String(data, StandardCharsets.UTF_8).equals("ping\n");
    }

    /// Runs the Collatz sequence, whose loop has no bound that the verifier could find.
    int waits(int number) {
      int left = number;
      while (left != 1) {
        left = (left & 1) == 0 ? left >> 1 : 3 * left + 1;
      }
      return left;
    }
  }

  /// A subclass that inherits everything.
  static final class Below extends Handler {}

  /// A charset of the component, whose decoder could do any amount of work.
  static final class Slow extends Charset {
    Slow() {
      super("slow", null);
    }

    @Override
    public boolean contains(Charset other) {
      return false;
    }

    @Override
    public CharsetDecoder newDecoder() {
      throw new UnsupportedOperationException();
    }

    @Override
    public CharsetEncoder newEncoder() {
      throw new UnsupportedOperationException();
    }
  }

  private static Verification.Entry entry(Component component, Class<?> type, String method) {
    return Verifier.entry(component, CostTable.standard(), Limits.DEFAULT, type.getName(), method);
  }

  private static Component with(Component component, Class<?>... types) {
    Arrays.asList(types).forEach(each -> component.add(each.getName(), Corpus.bytes(each)));
    return component;
  }

  private static Refusal refusal(Verification.Entry found) {
    return Objects.requireNonNull(found.verdict().refusal());
  }

  @Test
  void initializersThatHaveRunNeedNoBoundAndAreNamed() {
    Class<?>[] types = {Handler.class, Words.class};
    Verification all =
        Verifier.verify(with(new Component(), types), CostTable.standard(), Limits.DEFAULT);
    assertThat(all.verdicts())
        .filteredOn(each -> each.method().startsWith("handle("))
        .allMatch(each -> !each.isAccepted());
    Verification.Entry found = entry(with(new Component(), types), Handler.class, "handle([B)I");
    assertThat(found.verdict().isAccepted()).isTrue();
    assertThat(found.uses()).containsExactly(Words.class.getName());
  }

  @Test
  void anInheritedMethodIsFoundAndAnAbsentOneIsRefused() {
    Class<?>[] types = {Below.class, Handler.class, Words.class};
    Verification.Entry found = entry(with(new Component(), types), Below.class, "handle([B)I");
    assertThat(found.verdict().isAccepted()).isTrue();
    Verification.Entry absent = entry(with(new Component(), types), Below.class, "other()V");
    assertThat(refusal(absent).why()).contains("not in the classes");
    assertThat(absent.uses()).isEmpty();
  }

  @Test
  void whatHasNoBoundIsRefusedAsEver() {
    Verification.Entry found =
        entry(with(new Component(), Handler.class, Words.class), Handler.class, "waits(I)I");
    assertThat(refusal(found).reason()).isEqualTo(Reason.UNBOUNDED_LOOP);
  }

  @Test
  void ofAPartOfAProgramAClassOutsideMayOverride() {
    Class<?>[] types = {Handler.class, Words.class};
    String method = "callsWhatMayBeOverridden([B)I";
    assertThat(entry(with(new Component(), types), Handler.class, method).verdict().isAccepted())
        .isTrue();
    Verification.Entry open = entry(with(Component.part(), types), Handler.class, method);
    assertThat(refusal(open).reason()).isEqualTo(Reason.VIRTUAL_CALL);
  }

  @Test
  void textIsDecodedUnlessTheComponentBringsACharset() {
    String method = "isPing([B)Z";
    Verification.Entry found =
        entry(with(new Component(), Handler.class, Words.class), Handler.class, method);
    assertThat(found.verdict().isAccepted()).as(found.toString()).isTrue();
    Verification.Entry hostile =
        entry(with(new Component(), Handler.class, Words.class, Slow.class), Handler.class, method);
    assertThat(refusal(hostile).reason()).isEqualTo(Reason.VIRTUAL_CALL);
    assertThat(refusal(hostile).why()).contains("java.nio.charset.Charset");
  }
}
