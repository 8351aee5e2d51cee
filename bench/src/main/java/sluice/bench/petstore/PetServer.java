package sluice.bench.petstore;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.glassfish.grizzly.http.server.HttpHandler;
import org.glassfish.grizzly.http.server.Request;
import org.glassfish.grizzly.http.server.Response;
import sluice.bench.server.GrizzlyServer;
import sluice.bench.server.SelectorCheck;
import sluice.bench.server.TomcatServer;

/// The Pet Store's application server: Tomcat or Grizzly, a pool of connections, and a handler that
/// looks up one item by its key. The handler runs on the server's workers.
final class PetServer {
  /// The number of workers and of connections to the database: one core needs no more, and no
  /// worker waits for a connection.
  private static final int THREADS = 16;

  private PetServer() {}

  /// Runs the server. Arguments: `PORT DATABASE-PORT tomcat|grizzly`.
  public static void main(String[] args) throws Exception {
    SelectorCheck.require();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:mariadb://127.0.0.1:" + args[1] + "/" + Database.NAME);
    config.setUsername(Database.USER);
    config.setMaximumPoolSize(THREADS);
    config.setMinimumIdle(THREADS);
    config.setReadOnly(true);
    config.addDataSourceProperty("useServerPrepStmts", "true");
    config.addDataSourceProperty("cachePrepStmts", "true");
    Items items = new Items(new HikariDataSource(config));
    int port = Integer.parseInt(args[0]);
    if (args[2].equals("grizzly")) {
      GrizzlyServer.run(port, THREADS, new ItemHandler(items));
    } else {
      TomcatServer.run(port, THREADS, new ItemServlet(items));
    }
  }

  /// Answers `GET /item?id=N` in Tomcat.
  private static final class ItemServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    private final transient Items items;

    ItemServlet(Items items) {
      this.items = items;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      byte[] xml = items.xml(request.getParameter("id"));
      response.setContentType("text/xml");
      response.setContentLength(xml.length);
      response.getOutputStream().write(xml);
    }
  }

  /// Answers `GET /item?id=N` in Grizzly.
  private static final class ItemHandler extends HttpHandler {
    private final Items items;

    ItemHandler(Items items) {
      this.items = items;
    }

    @Override
    public void service(Request request, Response response) throws IOException {
      byte[] xml = items.xml(request.getParameter("id"));
      response.setContentType("text/xml");
      response.setContentLength(xml.length);
      response.getOutputStream().write(xml);
    }
  }

  /// The items of the database. Any thread may call.
  private static final class Items {
    private static final String QUERY =
        "SELECT name, description, price_cents, image FROM item WHERE id = ?";

    private final HikariDataSource pool;

    Items(HikariDataSource pool) {
      this.pool = pool;
    }

    byte[] xml(String number) throws IOException {
      return find(Integer.parseInt(number)).xml().getBytes(US_ASCII);
    }

    private PetItem find(int id) throws IOException {
      try (Connection connection = pool.getConnection();
          PreparedStatement statement = connection.prepareStatement(QUERY)) {
        statement.setInt(1, id);
        try (ResultSet row = statement.executeQuery()) {
          if (!row.next()) {
            throw new IOException("no item " + id);
          }
          return new PetItem(
              id, row.getString(1), row.getString(2), row.getInt(3), row.getString(4));
        }
      } catch (SQLException e) {
        throw new IOException(e);
      }
    }
  }
}
