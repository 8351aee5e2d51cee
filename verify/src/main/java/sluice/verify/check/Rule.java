package sluice.verify.check;

/// A rule of a domain about the use of some members. Immutable.
///
/// @param treatment the treatment of such a use
/// @param owner the internal name of a class, or of a package with `/` at its end
/// @param member the name of a method or field; may begin or end with `*`, and `*` alone means all
/// @param why the problem in a domain
/// @param fix the usual fix
public record Rule(Treatment treatment, String owner, String member, String why, String fix) {
  /// Returns true if the rule applies to a member of a class.
  boolean matches(String ownerName, String memberName) {
    boolean isOwner = owner.endsWith("/") ? ownerName.startsWith(owner) : ownerName.equals(owner);
    return isOwner && hasMember(memberName);
  }

  /// Returns true if the rule applies to members of this name.
  boolean hasMember(String memberName) {
    if (member.startsWith("*")) {
      return memberName.endsWith(member.substring(1));
    }
    return member.endsWith("*")
        ? memberName.startsWith(member.substring(0, member.length() - 1))
        : memberName.equals(member);
  }
}
