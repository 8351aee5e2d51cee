package sluice.acceptance.servers;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;

/// Tomcat with its NIO connector. The main thread of a process calls; servlets run in its pool.
final class TomcatMain {
  private TomcatMain() {}

  private static final class Answers extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      byte[] body = request.getInputStream().readAllBytes();
      byte[] answer = Payload.answer(request.getRequestURI(), body);
      response.setContentLength(answer.length);
      response.getOutputStream().write(answer);
    }
  }

  /// @param arguments those of [Launch]
  public static void main(String[] arguments) throws Exception {
    Launch launch = Launch.of(arguments);
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(launch.directory().toString());
    Connector connector = new Connector("org.apache.coyote.http11.Http11NioProtocol");
    connector.setPort(0);
    connector.setProperty("address", Launch.HOST);
    if (launch.secure()) {
      SSLHostConfig host = new SSLHostConfig();
      SSLHostConfigCertificate certificate =
          new SSLHostConfigCertificate(host, SSLHostConfigCertificate.Type.UNDEFINED);
      certificate.setCertificateKeystoreFile(launch.requiredKeyStore().toString());
      certificate.setCertificateKeystorePassword(Launch.PASSWORD);
      certificate.setCertificateKeystoreType("PKCS12");
      host.addCertificate(certificate);
      connector.setSecure(true);
      connector.setScheme("https");
      ((AbstractHttp11Protocol<?>) connector.getProtocolHandler()).setSSLEnabled(true);
      connector.addSslHostConfig(host);
    }
    tomcat.setConnector(connector);
    Context context = tomcat.addContext("", launch.directory().toString());
    Tomcat.addServlet(context, "answers", new Answers());
    context.addServletMappingDecoded("/*", "answers");
    tomcat.start();
    Launch.ready(
        connector.getLocalPort(),
        () -> {
          tomcat.stop();
          tomcat.destroy();
        });
    tomcat.getServer().await();
  }
}
