package sluice.bench.kernel;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntToLongFunction;
import org.apache.commons.text.StringSubstitutor;

/// Fills a page with the templates of Commons Text. Owned by the thread that runs it.
public final class TemplateKernel implements IntToLongFunction {
  private final String page;
  private final StringSubstitutor filled;

  /// Makes the page.
  public TemplateKernel() {
    Map<String, String> values = new HashMap<>();
    StringBuilder text = new StringBuilder("<ul>\n");
    for (int i = 0; i < 40; i++) {
      values.put("name" + i, "a name of ${number" + i % 7 + "}");
      values.put("number" + i, Integer.toString(i));
      text.append("<li>${name").append(i).append("}: ${number").append(i).append("}</li>\n");
    }
    page = text.append("</ul>\n").toString();
    filled = new StringSubstitutor(values);
  }

  @Override
  public long applyAsLong(int times) {
    long sum = 0;
    for (int i = 0; i < times; i++) {
      sum += filled.replace(page).length();
    }
    return sum;
  }
}
