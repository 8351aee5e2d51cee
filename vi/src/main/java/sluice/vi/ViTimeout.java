package sluice.vi;

/// Nothing completed in the given time. The VI and what is posted stay as they are.
public final class ViTimeout extends ViException {
  private static final long serialVersionUID = 1L;

  ViTimeout(String message) {
    super(message);
  }
}
