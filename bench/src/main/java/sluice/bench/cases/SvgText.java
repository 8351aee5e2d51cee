package sluice.bench.cases;

import java.util.Locale;

/// Writes elements of SVG that the plots share. Stateless: any thread may call.
public final class SvgText {
  private SvgText() {}

  /// Begins a picture: white, with a title and a subtitle that names the machine.
  ///
  /// @param size `width` and `height` in pixels
  public static void begin(
      StringBuilder svg, int[] size, int fontSize, String bench, String subtitle) {
    line(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1$d\" height=\"%2$d\""
            + " viewBox=\"0 0 %1$d %2$d\" font-family=\"sans-serif\" font-size=\"%3$d\">",
        size[0],
        size[1],
        fontSize);
    line(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    String style = "font-size=\"16\" font-weight=\"bold\"";
    text(svg, 12, 22, "start", style, "sluice bench " + bench);
    text(svg, 12, 40, "start", "fill=\"#555\"", subtitle);
  }

  /// Writes a text at a position.
  ///
  /// @param anchor `start`, `middle` or `end`
  /// @param style further attributes
  public static void text(
      StringBuilder svg, int x, int y, String anchor, String style, String text) {
    String safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    line(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" %s>%s</text>", x, y, anchor, style, safe);
  }

  /// Writes a line, formatted without regard to the machine's locale.
  @SuppressWarnings("AnnotateFormatMethod") // the callers are all in this package
  public static void line(StringBuilder svg, String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }
}
