package sluice.domain.portal.copy;

import org.jspecify.annotations.Nullable;

/// Determines which objects of a graph are passed by reference. Called by the copying thread.
public interface References {
  /// An instance that passes no objects by reference.
  References NONE =
      new References() {
        @Override
        public @Nullable Object known(Object source) {
          return null;
        }

        @Override
        public @Nullable Object promoted(Object source, Class<?> type) {
          return null;
        }
      };

  /// Returns the receiver's reference to a portal of the sender, or to an object that already is a
  /// service. Returns null if the object is neither. Must not run code of the object.
  @Nullable Object known(Object source);

  /// Returns the receiver's reference to an object that is declared as an interface, or null if the
  /// object is data and must be copied. Must not run code of the object.
  ///
  /// @param type the declared interface, as defined by the sender
  @Nullable Object promoted(Object source, Class<?> type);
}
