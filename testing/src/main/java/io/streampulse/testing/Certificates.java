package io.streampulse.testing;

import io.streampulse.connection.Pem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.List;
import java.util.UUID;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A server's certificate, made at the moment it is needed by the JDK's keytool, with the key store
 * for the server and the trust store for its clients. Nothing of it outlives the folder it is made
 * in. Thread-safe.
 *
 * @param keyStore PKCS12 store with the server's key
 * @param trustStore PKCS12 store with the certificate that clients trust: the server's own or its
 *     issuer's
 * @param password the password of both
 */
public record Certificates(Path keyStore, Path trustStore, String password) {
  private static final String ALIAS = "broker";

  /** Makes a new self-signed certificate for localhost and 127.0.0.1 in the folder. */
  public static Certificates create(Path folder) {
    String password = UUID.randomUUID().toString();
    Path keyStore = folder.resolve("broker.p12");
    Path trustStore = folder.resolve("trust.p12");
    try {
      Files.createDirectories(folder);
      Keytool.makeKey(
          keyStore,
          password,
          ALIAS,
          "CN=localhost",
          List.of("-validity", "2", "-ext", "SAN=dns:localhost,ip:127.0.0.1"));
      trust(trustStore, password, Keytool.load(keyStore, password).getCertificate(ALIAS));
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("Can't make a certificate in " + folder, e);
    }
    return new Certificates(keyStore, trustStore, password);
  }

  /** A TLS context that shows the server's key and trusts its certificate alone. */
  public SSLContext tls() {
    try {
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(Keytool.load(keyStore, password), password.toCharArray());
      TrustManagerFactory trusted =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trusted.init(Keytool.load(trustStore, password));
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("Can't use the certificate in " + keyStore, e);
    }
  }

  /** The certificate that clients trust as a PEM file. */
  public Path trustPem() {
    return trustPem(trustStore);
  }

  /** Writes a trust store with one certificate, and the same as PEM. */
  static void trust(Path trustStore, String password, Certificate certificate)
      throws IOException, GeneralSecurityException {
    Keytool.save(trustStore, password, ALIAS, new KeyStore.TrustedCertificateEntry(certificate));
    Files.writeString(trustPem(trustStore), Pem.certificates(certificate));
  }

  private static Path trustPem(Path trustStore) {
    return trustStore.resolveSibling("trust.pem");
  }
}
