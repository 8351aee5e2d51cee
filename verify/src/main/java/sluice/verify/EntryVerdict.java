package sluice.verify;

import java.util.List;

/// The verdict on a method that a host calls, on one condition: the initializers of the classes it
/// uses have run before.
///
/// @param verdict with the bound, without initializers, or the refusal
/// @param uses classes of the component that are to be initialized before the first call, by name
public record EntryVerdict(MethodVerdict verdict, List<String> uses) {
  /// Copies the list.
  public EntryVerdict {
    uses = List.copyOf(uses);
  }
}
