package sluice.verify.check;

/// What a domain does with uses of some members. Immutable.
///
/// @param owner internal name of a class, or of a package with `/` at its end
/// @param member name of a method or field, `*` for all; may begin or end with `*`
/// @param why what is wrong with it in a domain
/// @param fix what to do
public record Rule(Treatment treatment, String owner, String member, String why, String fix) {
  /// Whether the rule is about a member of a class.
  boolean matches(String ownerName, String memberName) {
    boolean isOwner = owner.endsWith("/") ? ownerName.startsWith(owner) : ownerName.equals(owner);
    return isOwner && hasMember(memberName);
  }

  /// Whether it is about members of this name.
  boolean hasMember(String memberName) {
    if (member.startsWith("*")) {
      return memberName.endsWith(member.substring(1));
    }
    return member.endsWith("*")
        ? memberName.startsWith(member.substring(0, member.length() - 1))
        : memberName.equals(member);
  }
}
