package sluice.verify.value;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A local variable that is written in a loop. It stores the assumption about its value at the head
/// of the loop, and the observations of each pass.
///
/// An assumption is a guess. If the values at the entry and at every back edge are within the
/// guess, it is an invariant by induction. A pass with a failed guess does not prove anything, so
/// another pass is executed with a weaker guess. There is no iteration to a fixpoint.
public final class LoopVariable {
  private final int slot;
  private final List<Update> before = new ArrayList<>(); // the updates of the last pass
  private final List<Update> updates = new ArrayList<>();
  private boolean givenUp;
  private boolean kindChanged;
  private @Nullable Value narrowed;
  private @Nullable Value assumed;
  private @Nullable Value observed;
  private @Nullable Value comesRound;
  private boolean failed;

  public LoopVariable(int slot) {
    this.slot = slot;
  }

  public int slot() {
    return slot;
  }

  public void beginPass() {
    before.clear();
    before.addAll(updates);
    updates.clear();
    assumed = null;
    observed = null;
    comesRound = null;
    failed = false;
  }

  public void add(Update update) {
    updates.add(update);
  }

  public List<Update> updates() {
    return updates;
  }

  /// Returns the assumed value at the head of the loop when the loop is entered with `entry`.
  public Value assume(Value entry, Values values) {
    Value guess = guess(entry, values);
    assumed = guess;
    observed = entry;
    return guess;
  }

  private Value guess(Value entry, Values values) {
    Kind kind = entry.kind();
    if (givenUp || kind == Kind.NONE) {
      return values.unknown(kindChanged ? Kind.NONE : kind);
    }
    Value known = narrowed;
    if (known != null && known.kind() == kind) {
      return values.range(
          kind, Math.min(known.low(), entry.low()), Math.max(known.high(), entry.high()));
    }
    if (kind == Kind.REFERENCE) {
      return values.range(kind, 0, Math.max(values.maxLength(), entry.high()));
    }
    if (!entry.isNumber() || before.isEmpty()) {
      return values.unknown(kind);
    }
    if (before.stream().allMatch(Update::isShrinking)) {
      return entry.low() >= 0 ? values.range(kind, 0, entry.high()) : values.unknown(kind);
    }
    boolean up = true;
    boolean down = true;
    for (Update update : before) {
      boolean steps = update.form() == Update.Form.ADD;
      up &= (steps && update.low() >= 0) || update.form() == Update.Form.MULTIPLY;
      down &= steps && update.high() <= 0;
    }
    return values.range(kind, up ? entry.low() : kind.low, down ? entry.high() : kind.high);
  }

  /// Records the value at a back edge.
  public void comesRound(Value value, Values values) {
    Value guess = assumed;
    if (guess == null) {
      return;
    }
    if (!guess.contains(value)) {
      failed = true;
      kindChanged |= guess.kind() != value.kind();
    }
    observed = observed == null ? value : values.join(observed, value);
    comesRound = comesRound == null ? value : values.join(comesRound, value);
  }

  public boolean failed() {
    return failed;
  }

  /// Discards the assumption about the range. Afterwards, only the kind is assumed.
  public void giveUp() {
    givenUp = true;
  }

  /// Discards all assumptions, so that the next pass cannot fail.
  public void giveUpKind() {
    givenUp = true;
    kindChanged = true;
  }

  /// Uses the observed range as the next assumption, as far as it is within the guess.
  public void narrow(Values values) {
    Value seen = observed;
    Value guess = assumed;
    if (seen == null || guess == null || seen.kind() != guess.kind()) {
      return;
    }
    long low = Math.max(seen.low(), guess.low());
    long high = Math.min(seen.high(), guess.high());
    narrowed = low > high ? null : values.range(seen.kind(), low, high);
  }

  /// Returns the range at the back edges, or null if no back edge was reached.
  @Nullable
  public Value atBackEdges() {
    return comesRound;
  }

  /// Returns the assumption of the last pass.
  @Nullable Value assumed() {
    return assumed;
  }
}
