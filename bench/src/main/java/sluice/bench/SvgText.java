package sluice.bench;

import java.util.Locale;

/// Lines of SVG that the plots have in common. Without state: any thread may call.
final class SvgText {
  private SvgText() {}

  /// A text at a place.
  ///
  /// @param anchor `start`, `middle` or `end`
  /// @param style further attributes
  static void text(StringBuilder svg, int x, int y, String anchor, String style, String text) {
    String safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    line(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" %s>%s</text>", x, y, anchor, style, safe);
  }

  /// A line, formatted without regard to the machine's language.
  @SuppressWarnings("AnnotateFormatMethod") // the callers are all in this package
  static void line(StringBuilder svg, String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }
}
