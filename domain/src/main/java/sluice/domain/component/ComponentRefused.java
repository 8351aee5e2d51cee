package sluice.domain.component;

/// Thrown if components cannot be combined, or if a component cannot be replaced. The message
/// states the component, the class, the reason and the fix.
public final class ComponentRefused extends Exception {
  private static final long serialVersionUID = 1;

  ComponentRefused(String what, String why, String fix) {
    super(what + ". Why: " + why + ". Fix: " + fix);
  }

  ComponentRefused(String what, String why, String fix, Throwable cause) {
    super(what + ". Why: " + why + ". Fix: " + fix, cause);
  }
}
