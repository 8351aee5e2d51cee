package sluice.domain.portal.copy;

import org.jspecify.annotations.Nullable;

/// Decides which objects of a graph pass by reference. Called by the thread that copies.
public interface References {
  /// Nothing passes by reference.
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

  /// What the receiver gets for a portal of the sender or for an object that is a service already;
  /// null if the object is neither. Must not run code of the object.
  @Nullable Object known(Object source);

  /// What the receiver gets for an object that stands where an interface is declared; null if the
  /// object is data and must be copied. Must not run code of the object.
  ///
  /// @param type the declared interface, as the sender knows it
  @Nullable Object promoted(Object source, Class<?> type);
}
