package io.streampulse.http;

import io.streampulse.config.ConfigKey;
import io.streampulse.config.ConfigReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Certificate authorities of the user's own, as PEM. */
public final class CertificateAuthorities {
  private CertificateAuthorities() {}

  /** The text of the file that a setting names; empty where it names none or a wrong one. */
  public static String read(ConfigReader reader, ConfigKey<String> key) {
    return reader.find(key).map(file -> text(file, key, reader)).orElse("");
  }

  /**
   * TLS that trusts them alone.
   *
   * @throws GeneralSecurityException if the text holds no certificates
   */
  public static SSLContext sslContext(String pem) throws GeneralSecurityException {
    try {
      KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
      authorities.load(null, null);
      int number = 0;
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8)))) {
        authorities.setCertificateEntry("ca" + number++, certificate);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(authorities);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException e) {
      throw new GeneralSecurityException("an empty key store can't be made", e);
    }
  }

  private static String text(String file, ConfigKey<String> key, ConfigReader reader) {
    try {
      String pem = Files.readString(Path.of(file));
      if (!pem.contains("-----BEGIN CERTIFICATE-----")) {
        reader.problem("%s = \"%s\" holds no certificate in PEM".formatted(key.name(), file));
      }
      return pem;
    } catch (IOException | RuntimeException e) {
      reader.problem("%s = \"%s\" can't be read: %s".formatted(key.name(), file, e));
      return "";
    }
  }
}
