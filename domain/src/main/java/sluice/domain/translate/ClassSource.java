package sluice.domain.translate;

import org.jspecify.annotations.Nullable;

/// Class files of a component, as they stand in its jars. Any thread may call.
@FunctionalInterface
public interface ClassSource {
  /// The bytes of a class, or null if the component does not have it.
  ///
  /// @param internalName with slashes
  byte @Nullable [] read(String internalName);
}
