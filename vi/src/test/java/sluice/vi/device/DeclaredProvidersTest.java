package sluice.vi.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/// A program on the class path has the devices that one on the module path has.
final class DeclaredProvidersTest {
  @Test
  void bothPathsNameTheSame() throws IOException {
    List<String> modules =
        ServiceLoader.load(DeviceProvider.class).stream()
            .map(provider -> provider.type().getName())
            .distinct()
            .toList();
    String file = "/META-INF/services/" + DeviceProvider.class.getName();
    try (InputStream in = Objects.requireNonNull(Device.class.getResourceAsStream(file))) {
      List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      assertThat(lines).containsExactlyInAnyOrderElementsOf(modules);
    }
  }
}
