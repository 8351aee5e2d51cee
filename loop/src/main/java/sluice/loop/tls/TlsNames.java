package sluice.loop.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/// A key manager that selects one of several certificates by the name requested by the client (SNI,
/// RFC 6066 section 3). Immutable, so any thread may call.
///
/// The names are those in the certificate (RFC 9525: DNS names of subjectAltName, `*` for a single
/// label). A client that requests no host, or a host without a certificate, receives the first
/// certificate. The JDK's own key manager would select a certificate with the wrong name if the
/// client prefers its type of key.
final class TlsNames extends X509ExtendedKeyManager {
  private static final int DNS_NAME = 2;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Entry(String alias, PrivateKey key, X509Certificate[] chain, List<String> names) {
    boolean isFor(String host) {
      return TlsNames.isFor(names, host);
    }
  }

  private final List<Entry> entries = new ArrayList<>();

  TlsNames(List<TlsPem> pems) throws CertificateParsingException {
    for (TlsPem pem : pems) {
      X509Certificate[] chain = pem.chain().toArray(new X509Certificate[0]);
      entries.add(new Entry("server" + entries.size(), pem.key(), chain, names(chain[0])));
    }
  }

  static boolean isFor(List<String> names, String host) {
    int dot = host.indexOf('.');
    String wildcard = dot < 0 ? "" : "*" + host.substring(dot);
    return names.contains(host) || names.contains(wildcard);
  }

  static List<String> names(X509Certificate certificate) throws CertificateParsingException {
    List<String> names = new ArrayList<>();
    var alternatives = certificate.getSubjectAlternativeNames();
    if (alternatives != null) {
      for (List<?> each : alternatives) {
        if (each.get(0) instanceof Integer kind && kind == DNS_NAME) {
          names.add(String.valueOf(each.get(1)).toLowerCase(Locale.ROOT));
        }
      }
    }
    return names;
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
    List<Entry> named = named(engine);
    for (Entry entry : named) {
      if (entry.key.getAlgorithm().equals(keyType)) {
        return entry.alias;
      }
    }
    return null; // the client is asked for another kind of key
  }

  private List<Entry> named(SSLEngine engine) {
    if (engine.getHandshakeSession() instanceof ExtendedSSLSession session) {
      for (SNIServerName each : session.getRequestedServerNames()) {
        if (each instanceof SNIHostName name) {
          String host = name.getAsciiName().toLowerCase(Locale.ROOT);
          String plain = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
          List<Entry> all = entries.stream().filter(entry -> entry.isFor(plain)).toList();
          if (!all.isEmpty()) {
            return all;
          }
        }
      }
    }
    return entries.subList(0, 1);
  }

  private @Nullable Entry entry(String alias) {
    return entries.stream().filter(each -> each.alias.equals(alias)).findFirst().orElse(null);
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(String alias) {
    Entry entry = entry(alias);
    return entry == null ? null : entry.key;
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(String alias) {
    Entry entry = entry(alias);
    return entry == null ? null : entry.chain.clone();
  }

  @Override
  public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    return entries.stream()
        .filter(entry -> entry.key.getAlgorithm().equals(keyType))
        .map(Entry::alias)
        .toArray(String[]::new);
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, Socket socket) {
    return null; // only engines are used
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    return null;
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, Socket socket) {
    return null;
  }
}
