package sluice.verify;

import java.lang.classfile.Opcode;
import sluice.verify.value.Value;

/// Evaluates `pop`, `dup` and related instructions. A `long` or `double` is a single entry of a
/// [State], but these instructions treat it as two words.
final class StackOperations {
  private StackOperations() {}

  static void run(Opcode opcode, State state) throws Refused {
    switch (opcode) {
      case POP -> state.pop();
      case POP2 -> take(state, 2);
      case DUP -> insert(state, 1, 0);
      case DUP_X1 -> insert(state, 1, 1);
      case DUP_X2 -> insert(state, 1, 2);
      case DUP2 -> insert(state, 2, 0);
      case DUP2_X1 -> insert(state, 2, 1);
      case DUP2_X2 -> insert(state, 2, 2);
      default -> {
        Value top = state.pop();
        Value below = state.pop();
        state.push(top);
        state.push(below);
      }
    }
  }

  /// Pops entries with a total of `words` words. The topmost entry is the first one in the array.
  private static Value[] take(State state, int words) throws Refused {
    if (words == 0) {
      return new Value[0];
    }
    Value first = state.pop();
    int taken = first.kind().isWide() ? 2 : 1;
    if (taken > words) {
      throw new Refused(Reason.MALFORMED, -1, "half of a long or double is moved");
    }
    return taken == words ? new Value[] {first} : new Value[] {first, second(state)};
  }

  private static Value second(State state) throws Refused {
    Value second = state.pop();
    if (second.kind().isWide()) {
      throw new Refused(Reason.MALFORMED, -1, "half of a long or double is moved");
    }
    return second;
  }

  /// Inserts a copy of the top words below the next words.
  private static void insert(State state, int words, int under) throws Refused {
    Value[] top = take(state, words);
    Value[] below = take(state, under);
    push(state, top);
    push(state, below);
    push(state, top);
  }

  private static void push(State state, Value[] topmostFirst) {
    for (int i = topmostFirst.length - 1; i >= 0; i--) {
      state.push(topmostFirst[i]);
    }
  }
}
