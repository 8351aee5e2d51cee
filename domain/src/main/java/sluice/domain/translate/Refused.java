package sluice.domain.translate;

/// A class that a domain does not load. The message has class, method, line, why and fix.
public final class Refused extends LinkageError {
  private static final long serialVersionUID = 1;

  Refused(String where, String why, String fix) {
    super(where + ". Why: " + why + ". Fix: " + fix);
  }
}
