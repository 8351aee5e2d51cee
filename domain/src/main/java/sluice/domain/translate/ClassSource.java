package sluice.domain.translate;

import org.jspecify.annotations.Nullable;

/// Provides the untranslated class files of a component. Any thread may call.
@FunctionalInterface
public interface ClassSource {
  /// Returns the bytes of a class, or null if the component does not contain it.
  ///
  /// @param internalName the name of the class, with slashes
  byte @Nullable [] read(String internalName);
}
