package sluice.fs.provider;

import java.nio.file.ProviderMismatchException;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Objects;

/// An owner or a group that is identified by a number. An image does not contain the user names of
/// the machine, so `root` is the only name that is known. Instances are immutable and thread-safe.
final class Principal {
  /// A lookup service that accepts `root` and decimal numbers.
  static final UserPrincipalLookupService LOOKUP =
      new UserPrincipalLookupService() {
        @Override
        public UserPrincipal lookupPrincipalByName(String name)
            throws UserPrincipalNotFoundException {
          return new User(parse(name));
        }

        @Override
        public GroupPrincipal lookupPrincipalByGroupName(String name)
            throws UserPrincipalNotFoundException {
          return new Group(parse(name));
        }
      };

  private static final String ROOT = "root";

  private Principal() {}

  record User(int id) implements UserPrincipal {
    @Override
    public String getName() {
      return name(id);
    }

    @Override
    public String toString() {
      return name(id);
    }
  }

  record Group(int id) implements GroupPrincipal {
    @Override
    public String getName() {
      return name(id);
    }

    @Override
    public String toString() {
      return name(id);
    }
  }

  private static String name(int id) {
    return id == 0 ? ROOT : Integer.toUnsignedString(id);
  }

  private static int parse(String name) throws UserPrincipalNotFoundException {
    try {
      return name.equals(ROOT) ? 0 : Integer.parseUnsignedInt(name);
    } catch (NumberFormatException e) {
      throw new UserPrincipalNotFoundException(name);
    }
  }

  /// Returns the user id of a principal.
  ///
  /// @throws ProviderMismatchException if the principal belongs to another file system
  static int id(UserPrincipal principal) {
    return switch (Objects.requireNonNull(principal)) {
      case User user -> user.id;
      case Group group -> group.id;
      default -> throw new ProviderMismatchException(principal + " belongs to another provider");
    };
  }

  /// Returns the group id of a principal.
  ///
  /// @throws ProviderMismatchException if the group belongs to another file system
  static int id(GroupPrincipal principal) {
    if (Objects.requireNonNull(principal) instanceof Group group) {
      return group.id;
    }
    throw new ProviderMismatchException(principal + " belongs to another provider");
  }
}
