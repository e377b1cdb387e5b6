package io.streampulse.connection;

import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.util.Base64;

/** Keys and certificates as PEM text. Thread-safe. */
public final class Pem {
  private static final Base64.Encoder LINES =
      Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));

  private Pem() {}

  /** Certificates, one after the other. */
  public static String certificates(Certificate... certificates)
      throws CertificateEncodingException {
    StringBuilder text = new StringBuilder();
    for (Certificate certificate : certificates) {
      text.append(block("CERTIFICATE", certificate.getEncoded()));
    }
    return text.toString();
  }

  /** A private key in PKCS#8, not encrypted. */
  public static String key(PrivateKey key) {
    return block("PRIVATE KEY", key.getEncoded());
  }

  private static String block(String type, byte[] content) {
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
        .formatted(type, LINES.encodeToString(content));
  }
}
