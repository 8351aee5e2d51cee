package sluice.http.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PluginReplyTest {
  @Test
  void nothingThatThePluginKeepsChangesIt() {
    byte[] body = {1, 2};
    List<String> values = new ArrayList<>(List.of("a"));
    Map<String, List<String>> headers = new HashMap<>(Map.of("X-A", values));
    PluginReply reply = new PluginReply(200, headers, body);
    body[0] = 9;
    values.add("b");
    headers.clear();
    reply.body()[1] = 9;
    assertThat(reply.body()).containsExactly(1, 2);
    assertThat(reply.headers()).isEqualTo(Map.of("X-A", List.of("a")));
    assertThatThrownBy(() -> reply.headers().clear())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  /// In the plug-in's own thread, not later in the server's.
  @Test
  @SuppressWarnings({"unchecked", "rawtypes"})
  void aValueThatIsNoStringIsRefused() {
    Map<String, List<String>> wrong = new HashMap<>();
    wrong.put("X-A", (List) List.of(1));
    assertThatThrownBy(() -> new PluginReply(200, wrong, new byte[0]))
        .isInstanceOf(ArrayStoreException.class);
  }

  @Test
  void aHeaderMayHaveSeveralValues() {
    PluginReply reply = PluginReply.text("é").withHeader("X-A", "a").withHeader("X-A", "b");
    assertThat(reply.headers()).containsEntry("X-A", List.of("a", "b")).hasSize(2);
    assertThat(reply.body()).hasSize(2);
    assertThatThrownBy(() -> PluginReply.of(100, "text/plain", new byte[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
