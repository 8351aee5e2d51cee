package sluice.domain.translate;

import java.lang.classfile.constantpool.ConstantDynamicEntry;
import java.lang.classfile.constantpool.LoadableConstantEntry;
import java.lang.classfile.constantpool.MethodHandleEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Finds the method handles to which a constant refers. Stateless.
final class Handles {
  private Handles() {}

  /// Returns the constant itself if it is a handle, or the handles among the arguments of a dynamic
  /// constant, at any depth.
  static List<MethodHandleEntry> of(LoadableConstantEntry entry) {
    List<MethodHandleEntry> found = new ArrayList<>();
    ArrayDeque<LoadableConstantEntry> ready = new ArrayDeque<>(List.of(entry));
    Set<Integer> made = new HashSet<>();
    while (!ready.isEmpty()) {
      switch (ready.remove()) {
        case MethodHandleEntry handle -> found.add(handle);
        case ConstantDynamicEntry dynamic when made.add(dynamic.index()) ->
            ready.addAll(dynamic.bootstrap().arguments());
        default -> {}
      }
    }
    return found;
  }
}
