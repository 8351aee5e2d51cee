package sluice.http.rules;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.http.reply.ReplyGuard;

/// The access rules of one reply. Immutable: any thread may use it.
public final class Guard implements ReplyGuard {
  private final List<AccessRule> rules;

  Guard(List<AccessRule> rules) {
    this.rules = List.copyOf(rules);
  }

  @Override
  public Verdict verdict(long addressHigh, long addressLow, byte @Nullable [] authorization) {
    for (AccessRule rule : rules) {
      if (!rule.admits(addressHigh, addressLow)) {
        return Verdict.FORBIDDEN;
      }
    }
    for (AccessRule rule : rules) {
      SignIn signIn = rule.signIn();
      if (signIn != null && !signIn.knows(authorization)) {
        return new Verdict(401, signIn.challenge());
      }
    }
    return Verdict.ADMITTED;
  }

  /// Returns the realms whose users have to sign in.
  public List<SignIn> signIns() {
    List<SignIn> all = new ArrayList<>();
    for (AccessRule rule : rules) {
      if (rule.signIn() != null) {
        all.add(rule.signIn());
      }
    }
    return all;
  }

  @Override
  public String toString() {
    return rules.stream().map(AccessRule::path).toList().toString();
  }
}
