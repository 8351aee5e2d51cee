package sluice.acceptance.servers;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/// Spring Boot as it comes: a controller on its embedded server. The main thread of a process
/// calls; the controller runs in the server's pool.
final class SpringBootMain {
  private SpringBootMain() {}

  /// What the application adds to the defaults.
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(Answers.class)
  static class Application {}

  /// Answers every path.
  @RestController
  static class Answers {
    @RequestMapping("/**")
    byte[] answer(HttpServletRequest request, @RequestBody(required = false) byte[] body)
        throws IOException {
      return Payload.answer(request.getRequestURI(), body == null ? new byte[0] : body);
    }
  }

  /// @param arguments those of [Launch]
  public static void main(String[] arguments) throws Exception {
    Launch launch = Launch.of(arguments);
    List<String> properties =
        new ArrayList<>(
            List.of(
                "--server.port=0",
                "--server.address=" + Launch.HOST,
                "--spring.main.banner-mode=off",
                "--spring.main.register-shutdown-hook=false"));
    if (launch.secure()) {
      properties.add("--server.ssl.key-store=" + launch.requiredKeyStore());
      properties.add("--server.ssl.key-store-password=" + Launch.PASSWORD);
      properties.add("--server.ssl.key-store-type=PKCS12");
    }
    ConfigurableApplicationContext context =
        SpringApplication.run(Application.class, properties.toArray(new String[0]));
    int port = Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
    Launch.ready(port, context::close);
  }
}
