package sluice.verify.check;

/// A rule of a domain that applies to the use of some members. Instances are immutable.
///
/// @param treatment the treatment of such a use
/// @param owner the internal name of a class, or of a package followed by `/`
/// @param member the name of a method or field, which may start or end with `*`; a single `*`
///   matches all members
/// @param why the reason why the use is a problem in a domain
/// @param fix the usual fix
public record Rule(Treatment treatment, String owner, String member, String why, String fix) {
  /// Returns true if this rule applies to a member of a class.
  boolean matches(String ownerName, String memberName) {
    boolean isOwner = owner.endsWith("/") ? ownerName.startsWith(owner) : ownerName.equals(owner);
    return isOwner && hasMember(memberName);
  }

  /// Returns true if this rule applies to members with the given name.
  boolean hasMember(String memberName) {
    if (member.startsWith("*")) {
      return memberName.endsWith(member.substring(1));
    }
    return member.endsWith("*")
        ? memberName.startsWith(member.substring(0, member.length() - 1))
        : memberName.equals(member);
  }
}
